package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;

/** The job of a run. */
final class RunJob {
  private RunJob() {}

  /**
   * The job.
   *
   * @param runner the runner that gets it; a member that it does not support is left out
   */
  static Job of(AnalyticsRunSpec spec, Hello runner, Job.Limits limits) {
    return switch (spec.language()) {
      case PYTHON ->
          new Job.Python(
              spec.code(),
              runner.supports(Hello.DATASETS)
                  ? spec.datasetNames().stream().map(Job.Dataset::new).toList()
                  : null,
              limits);
    };
  }
}
