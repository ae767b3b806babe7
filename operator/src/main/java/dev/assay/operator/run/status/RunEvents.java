package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.kubernetes.EventRecorder;

/**
 * Records as Kubernetes Events which Pod a run gets, which its status does not name before the run
 * is bound to it, and what may need attention. Each Event is one more write of a run.
 */
public final class RunEvents {
  private static final int MIB = 1024 * 1024;

  private final EventRecorder recorder;

  public RunEvents(EventRecorder recorder) {
    this.recorder = recorder;
  }

  public void podCreated(AnalyticsRun run, String podName) {
    recorder.normal(run, RunReason.PodCreated.name(), "Created Pod " + podName);
  }

  public void waiting(AnalyticsRun run, RunReason reason, String message) {
    recorder.warning(run, reason.name(), message);
  }

  public void outputStoreUnavailable(AnalyticsRun run, String message) {
    recorder.warning(run, RunReason.OutputStoreUnavailable.name(), message);
  }

  /**
   * Ended runs of a namespace are deleted before their time.
   *
   * @param first the first of them
   */
  public void removedEarly(AnalyticsRun first, int count, int maxRuns) {
    recorder.warning(
        first,
        "RemovedEarly",
        "Ended runs deleted before their time to live: %d. The namespace is near its limit of %d runs, or %d MiB of them"
            .formatted(count, maxRuns, (long) maxRuns * RunBytes.AVERAGE / MIB));
  }

  public void started(AnalyticsRun run) {
    recorder.normal(run, RunReason.Started.name(), "The code is running");
  }

  /** Does nothing for an end that was wanted: the status says it. */
  public void ended(AnalyticsRun run, Ending ending) {
    if (ending.reason() != RunReason.Completed && ending.reason() != RunReason.Cancelled) {
      recorder.warning(run, ending.reason().name(), ending.message());
    }
  }
}
