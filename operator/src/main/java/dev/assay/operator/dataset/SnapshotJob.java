package dev.assay.operator.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The job of a snapshot Pod. */
final class SnapshotJob {
  /** The formats that every runner reads. */
  private static final Set<DatasetFormat> FIRST_FORMATS =
      Set.of(DatasetFormat.CSV, DatasetFormat.JSON, DatasetFormat.PARQUET);

  private SnapshotJob() {}

  /**
   * The job.
   *
   * @param upload what the Pod has received; null if the source is not an upload
   * @param runner what the Pod has said of itself
   */
  static Job of(
      DatasetSource source,
      RunClassSpec runClass,
      Job.@Nullable Upload upload,
      Hello runner,
      Job.Limits limits) {
    return new Job.Snapshot(
        new Job.Source(
            source.format().wireName(),
            source.compression() == null ? null : source.compression().wireName(),
            optionsOf(source),
            runner.supports(Hello.TABLES) ? source.frame() : null,
            source.inline() == null ? null : source.inline().text(),
            source.volume() == null ? null : source.volume().path(),
            upload,
            runner.supports(Hello.SOURCES)
                ? limitsOf(runClass, runner.supports(Hello.TABLES))
                : null),
        limits);
  }

  /** A feature that the runner lacks; empty if nothing is missing. */
  static Optional<String> missing(DatasetSource source, Hello runner) {
    String tooOld =
        needsSources(source) && !runner.supports(Hello.SOURCES)
            ? "this format, or for options and compression"
            : source.upload() != null && !runner.supports(Hello.UPLOADS)
                ? "uploads"
                : needsTables(source) && !runner.supports(Hello.TABLES)
                    ? "frame: false, or for several files"
                    : "";
    return tooOld.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "The runner image of its class is too old for "
                + tooOld
                + ": the class needs a newer image");
  }

  private static boolean needsSources(DatasetSource source) {
    return !FIRST_FORMATS.contains(source.format())
        || source.compression() != null
        || optionsOf(source) != null;
  }

  private static boolean needsTables(DatasetSource source) {
    return Boolean.FALSE.equals(source.frame())
        || (source.format() == DatasetFormat.PARQUET
            && source.volume() != null
            && source.volume().path().contains("*"));
  }

  private static @Nullable Map<String, JsonNode> optionsOf(DatasetSource source) {
    return source.options() == null || source.options().isEmpty() ? null : source.options();
  }

  private static Job.SourceLimits limitsOf(RunClassSpec runClass, boolean withFrameBytes) {
    RunClassSpec.SourceLimits limits = runClass.sourceLimits();
    return new Job.SourceLimits(
        limits.maxBytes(),
        limits.maxRows(),
        limits.maxColumns(),
        limits.maxNesting(),
        withFrameBytes ? limits.frameBytes() : null);
  }
}
