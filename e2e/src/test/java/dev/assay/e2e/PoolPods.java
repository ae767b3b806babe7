package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The Pods of a class that has a warm pool: those that wait for a run, and those of runs. */
final class PoolPods {
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String WARM = "assay.dev/warm-pool";

  private final Assay assay;
  private final String className;

  PoolPods(Assay assay, String className) {
    this.assay = assay;
    this.className = className;
  }

  /** Waits until so many Pods of the pool are ready. */
  List<Pod> awaitIdle(int count) {
    return idle(await(pods -> idle(pods).size() == count));
  }

  /** Waits until there are so many Pods, and all of them wait for a run. */
  void awaitOnlyIdle(int count) {
    var unused = await(pods -> pods.size() == count && idle(pods).size() == count);
  }

  /** Waits until the leader gives so many Pods to runs: it asks each whether it is ready. */
  void awaitOffered(int count) {
    Classes.awaitPools(assay, className, PATIENCE, pools -> pools.ready() == count);
  }

  /** Waits until the Pods of the class match. */
  List<Pod> await(Predicate<List<Pod>> fits) {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel("assay.dev/run-class", className)
        .informOnCondition(fits::test)
        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }

  /** Ends a Pod as the loss of its node does. */
  void kill(String pod) {
    Programs.kubectl("-n", assay.namespace(), "delete", "pod", pod, "--force", "--grace-period=0")
        .orFail();
  }

  /** Those that are ready and wait for a run. */
  static List<Pod> idle(List<Pod> pods) {
    return withoutRun(pods).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> has(pod, "Ready", "True"))
        .toList();
  }

  /** Those of the pool that have not become the Pod of a run. */
  static List<Pod> withoutRun(List<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.getMetadata().getLabels().containsKey(WARM))
        .filter(pod -> !pod.getMetadata().getLabels().containsKey(Runs.RUN_UID))
        .toList();
  }

  static boolean has(Pod pod, String type, String status) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(
            condition -> condition.getType().equals(type) && condition.getStatus().equals(status));
  }

  static Set<String> uids(List<Pod> pods) {
    return pods.stream()
        .map(pod -> Objects.requireNonNull(pod.getMetadata().getUid()))
        .collect(Collectors.toSet());
  }
}
