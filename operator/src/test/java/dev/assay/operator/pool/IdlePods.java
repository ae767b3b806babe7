package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Clock;
import java.time.Instant;

/** Pods that wait for runs, for tests of other packages. */
public final class IdlePods {
  private IdlePods() {}

  /** A Pod as if it had been created from a template. */
  public static Pod of(PoolTemplate template, Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .addToLabels(Labels.WARM_POOL, template.hash())
        .endMetadata()
        .build();
  }

  /** Adds a Pod that waits for a run. */
  public static void offer(WarmPods pods, PoolTemplate template, Pod pod, Instant checked) {
    offer(pods, template, pod, FakeRunner.idleHello(), checked);
  }

  /** Adds a Pod whose runner has answered this. */
  public static void offer(
      WarmPods pods, PoolTemplate template, Pod pod, Hello hello, Instant checked) {
    var unused = pods.see(pod.getMetadata().getUid());
    var ready =
        pods.tested(
            new PoolPod.Test(new WarmPod(template, pod), hello, new EgressCheck.Closed(), checked));
    assertThat(ready).isPresent();
  }

  /** Whether a Pod waits for a run. */
  static boolean isIdle(WarmPods pods, String uid) {
    return pods.see(uid) instanceof PoolPod.Idle;
  }

  /** Of no calls. */
  public static PoolHistory history(Clock clock) {
    return new PoolHistory(new PoolStarts(clock), clock);
  }

  /** How many runs found a Pod of a pool. */
  public static long hits(PoolHistory history, PoolTemplate template) {
    return history.counts(template.key()).hits();
  }

  /** How many runs found none. */
  public static long misses(PoolHistory history, PoolTemplate template) {
    return history.counts(template.key()).misses();
  }

  /** One round of a keeper. */
  public static void reconcile(PoolKeeper keeper) {
    keeper.reconcile();
  }
}
