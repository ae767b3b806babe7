package dev.assay.operator.run;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.operator.pod.DatasetMount;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The job of a run. */
final class RunJob {
  private static final String NO_ARGUMENTS = "{}";

  private RunJob() {}

  /**
   * Why the runner cannot do the work of a run; empty if it can.
   *
   * @param className the class that its Pod was created from
   */
  static Optional<String> missing(AnalyticsRunSpec spec, Hello runner, String className) {
    return feature(spec)
        .filter(feature -> !runner.supports(feature.name()))
        .map(
            feature ->
                "The runner image of class '"
                    + className
                    + "' is too old for "
                    + feature.description()
                    + ": the class needs a newer image");
  }

  private record Feature(String name, String description) {}

  private static Optional<Feature> feature(AnalyticsRunSpec spec) {
    return switch (spec.language()) {
      case PYTHON ->
          spec.reply() == null
              ? Optional.empty()
              : Optional.of(new Feature(Hello.REPLY, "runs of Python with a reply"));
      case POLARS -> Optional.of(new Feature(Hello.POLARS, "runs of Polars"));
      case SQL ->
          Optional.of(
              spec.builtin() == null
                  ? new Feature(Hello.SQL, "runs of SQL")
                  : new Feature(Hello.BUILTIN, "runs with builtin"));
    };
  }

  /**
   * The job.
   *
   * @param mounts the datasets that the Pod mounts
   * @param runner the runner that gets it; a member that it does not support is left out
   */
  static Job of(AnalyticsRunSpec spec, List<DatasetMount> mounts, Hello runner, Job.Limits limits) {
    List<Job.Dataset> datasets = datasets(spec, mounts, runner);
    Job.Reply reply = new Job.Reply(spec.replyRows());
    return switch (spec.language()) {
      case PYTHON ->
          new Job.Python(
              code(spec),
              spec.input(),
              runner.supports(Hello.DATASETS) ? datasets : null,
              spec.reply() == null ? null : reply,
              limits);
      case POLARS -> new Job.Polars(code(spec), spec.input(), datasets, reply, limits);
      case SQL -> {
        BuiltinSpec builtin = spec.builtin();
        yield builtin == null
            ? new Job.Sql(code(spec), spec.input(), datasets, reply, limits)
            : new Job.Builtin(
                builtin.name().wireName(),
                builtin.arguments() == null ? NO_ARGUMENTS : builtin.arguments(),
                datasets,
                limits);
      }
    };
  }

  /** A rule of the CRD requires it where there is no builtin. */
  private static String code(AnalyticsRunSpec spec) {
    return requireNonNull(spec.code());
  }

  private static List<Job.Dataset> datasets(
      AnalyticsRunSpec spec, List<DatasetMount> mounts, Hello runner) {
    Map<String, String> displayNames = new HashMap<>();
    if (runner.supports(Hello.WORKSPACE)) {
      for (DatasetMount mount : mounts) {
        displayNames.put(mount.dataset(), mount.displayName());
      }
    }
    return spec.datasetNames().stream()
        .map(name -> new Job.Dataset(name, displayNames.get(name)))
        .toList();
  }
}
