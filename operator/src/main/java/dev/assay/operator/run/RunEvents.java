package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.EventRecorder;

/** Records the steps of a run as Kubernetes Events. */
final class RunEvents {
  private final EventRecorder recorder;

  RunEvents(EventRecorder recorder) {
    this.recorder = recorder;
  }

  void podCreated(AnalyticsRun run, String podName) {
    recorder.normal(run, RunReason.PodCreated.name(), "Created Pod " + podName);
  }

  void waiting(AnalyticsRun run, RunReason reason, String message) {
    recorder.warning(run, reason.name(), message);
  }

  void outputStoreUnavailable(AnalyticsRun run, String message) {
    recorder.warning(run, RunReason.OutputStoreUnavailable.name(), message);
  }

  void started(AnalyticsRun run) {
    recorder.normal(run, RunReason.Started.name(), "The code is running");
  }

  void ended(AnalyticsRun run, Ending ending) {
    if (ending.reason() == RunReason.Completed || ending.reason() == RunReason.Cancelled) {
      recorder.normal(run, ending.reason().name(), ending.message());
    } else {
      recorder.warning(run, ending.reason().name(), ending.message());
    }
  }
}
