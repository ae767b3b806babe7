package dev.assay.operator.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.runner.Job;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a snapshot Pod is asked for. */
final class SnapshotJob {
  /** What every runner reads. */
  private static final Set<DatasetFormat> FIRST_FORMATS =
      Set.of(DatasetFormat.CSV, DatasetFormat.JSON, DatasetFormat.PARQUET);

  private SnapshotJob() {}

  /**
   * The job.
   *
   * @param withLimits whether the runner takes limits of a source
   */
  static Job of(
      DatasetSource source, RunClassSpec runClass, boolean withLimits, Job.Limits limits) {
    return Job.snapshot(
        new Job.Source(
            source.format().wireName(),
            source.compression() == null ? null : source.compression().wireName(),
            optionsOf(source),
            source.inline() == null ? null : source.inline().text(),
            source.volume() == null ? null : source.volume().path(),
            withLimits ? limitsOf(runClass) : null),
        limits);
  }

  /** Whether a runner must know more than the first ones did. */
  static boolean needsSources(DatasetSource source) {
    return !FIRST_FORMATS.contains(source.format())
        || source.compression() != null
        || optionsOf(source) != null;
  }

  private static @Nullable Map<String, JsonNode> optionsOf(DatasetSource source) {
    return source.options() == null || source.options().isEmpty() ? null : source.options();
  }

  private static Job.SourceLimits limitsOf(RunClassSpec runClass) {
    RunClassSpec.SourceLimits limits = runClass.sourceLimits();
    return new Job.SourceLimits(limits.maxBytes(), limits.maxRows(), limits.maxColumns());
  }
}
