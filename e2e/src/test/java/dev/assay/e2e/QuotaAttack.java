package dev.assay.e2e;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;

/** A run that exhausts a quota of its user. */
final class QuotaAttack implements AutoCloseable {
  /** For the descriptors and the memory of the largest quota. */
  private static final String CLASS = "python-large";

  private static final int MAX_SECONDS = 600;

  private final Assay assay;
  private final Runs runs;
  private final AnalyticsRun run;

  /** Starts the run, and returns once the quota is exhausted. */
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
   * Waits until a Pod has exhausted a quota. Reads from the Pod itself, because the operator that
   * forwards its output may be affected.
   *
   * @return how many units it took
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

  /** Whether it still runs. */
  boolean isUnderWay() {
    AnalyticsRun found =
        assay.runs().inNamespace(assay.namespace()).withName(run.getMetadata().getName()).require();
    return Objects.requireNonNull(found.getStatus()).phase() == RunPhase.Running;
  }

  /** Ends it, even without an operator. */
  @Override
  public void close() {
    runs.delete(run);
    runs.forceDeletePod(run);
    runs.awaitNoPod(run);
  }
}
