package dev.assay.e2e;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;

/** A run that uses up a quota of its user. */
final class QuotaAttack implements AutoCloseable {
  /** For the descriptors and the memory of the largest quota. */
  private static final String CLASS = "python-large";

  private static final int MAX_SECONDS = 600;

  private final Assay assay;
  private final Runs runs;
  private final AnalyticsRun run;

  /** Starts it, and returns once nothing is left of the quota. */
  QuotaAttack(Assay assay, UserQuota quota) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.run = runs.create(CLASS, quota.attack(), MAX_SECONDS);
    try {
      AnalyticsRunStatus status = runs.awaitRunning(run);
      if (status.phase() != RunPhase.Running) {
        throw new AssertionError("the attack ended early: " + status.message());
      }
      awaitUsedUp(assay.namespace(), runs.awaitPod(run));
    } catch (RuntimeException | AssertionError e) {
      close();
      throw e;
    }
  }

  /**
   * Waits until a Pod has used a quota up. Asks the Pod itself: its output comes by way of the
   * operator, which may be what suffers.
   *
   * @return how often it took some of it
   */
  static long awaitUsedUp(String namespace, Pod pod) {
    String command = "until test -s /dev/shm/used-up; do sleep 0.2; done; cat /dev/shm/used-up";
    return Long.parseLong(
        Programs.kubectl(
                "-n",
                namespace,
                "exec",
                pod.getMetadata().getName(),
                "-c",
                "worker",
                "--",
                "sh",
                "-c",
                command)
            .orFail()
            .strip());
  }

  /** Whether it is still at it. */
  boolean isUnderWay() {
    AnalyticsRun found =
        assay.runs().inNamespace(assay.namespace()).withName(run.getMetadata().getName()).require();
    return Objects.requireNonNull(found.getStatus()).phase() == RunPhase.Running;
  }

  /** Ends it, also where no operator does so. */
  @Override
  public void close() {
    runs.delete(run);
    runs.forceDeletePod(run);
    runs.awaitNoPod(run);
  }
}
