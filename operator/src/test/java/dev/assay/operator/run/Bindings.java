package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.operator.Samples;
import java.time.Instant;
import java.util.List;

/** Runs that are bound to Pods. */
final class Bindings {
  private Bindings() {}

  /** The status of a run that has just been bound, and reads nothing. */
  static AnalyticsRunStatus status(AnalyticsRun run, BoundPod pod, Instant now) {
    return RunTransitions.bound(
            run,
            pod,
            new RunTransitions.Pinned(List.of(), List.of()),
            Instant.parse(Samples.CREATED),
            Samples.CREATED,
            now,
            now)
        .orElseThrow();
  }

  /** The Pod of {@link Samples}. */
  static BoundPod ownPod(String nonce) {
    return ownPod(Samples.POD_UID, nonce);
  }

  /** A Pod that was made for the run. */
  static BoundPod ownPod(String uid, String nonce) {
    return BoundPodBuilder.builder().name("run-" + Samples.RUN_UID).uid(uid).nonce(nonce).build();
  }
}
