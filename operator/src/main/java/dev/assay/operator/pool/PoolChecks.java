package dev.assay.operator.pool;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolPod.Checking;
import dev.assay.operator.pool.PoolPod.Claimed;
import dev.assay.operator.pool.PoolPod.Idle;
import dev.assay.operator.pool.PoolPod.Retiring;
import dev.assay.operator.runner.Hello;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When Pods are asked who they are, and whether their network is closed: before they are offered,
 * and again while they wait. An address may have been reused, another leader may have given the Pod
 * a job, a node may be lost, and a NetworkPolicy changed.
 */
final class PoolChecks {
  private static final Logger LOG = LoggerFactory.getLogger(PoolChecks.class);

  /** Between two checks of a Pod that is not idle, so that it is offered soon. */
  private static final Duration STARTING_INTERVAL = Duration.ofSeconds(1);

  /** Between two checks of an idle Pod, so that its connection is kept. */
  private static final Duration IDLE_INTERVAL = Duration.ofSeconds(20);

  /** How long a Pod that is withheld is asked as often as one that starts. */
  private static final Duration SOON_CLOSED = Duration.ofSeconds(10);

  private final WarmPods warmPods;
  private final PoolStarts starts;
  private final PoolRunners runners;
  private final EgressCheck egress;
  private final PodTasks tasks;
  private final Clock clock;

  PoolChecks(
      WarmPods warmPods,
      PoolStarts starts,
      PoolRunners runners,
      EgressCheck egress,
      PodTasks tasks,
      Clock clock) {
    this.warmPods = warmPods;
    this.starts = starts;
    this.runners = runners;
    this.egress = egress;
    this.tasks = tasks;
    this.clock = clock;
  }

  /** Checks a Pod on another thread, if that is due. */
  void check(WarmPod pod, PoolPod known) {
    if (isDue(pod.pod(), known)) {
      tasks.start(pod.pod(), () -> check(pod));
    }
  }

  private boolean isDue(Pod pod, PoolPod known) {
    Instant now = clock.instant();
    return switch (known) {
      case Idle idle -> isOver(IDLE_INTERVAL, idle.lastAsked(), now);
      case Checking checking ->
          (checking.startsSince() == null || PodState.isReachable(pod))
              && isOver(interval(checking, now), checking.lastAsked(), now);
      case Claimed unused -> false;
      case Retiring unused -> false;
    };
  }

  private static Duration interval(Checking pod, Instant now) {
    Instant withheld = pod.withheldSince();
    return withheld != null && isOver(SOON_CLOSED, withheld, now) && pod.rounds().closed() == 0
        ? IDLE_INTERVAL
        : STARTING_INTERVAL;
  }

  private static boolean isOver(Duration time, Instant since, Instant now) {
    return !now.minus(time).isBefore(since);
  }

  private void check(WarmPod pod) {
    Instant began = clock.instant();
    update(pod, known -> known.asked(began));
    Optional<Hello> answer = runners.ask(pod.pod());
    if (answer.isEmpty()) {
      update(pod, PoolPod::missed);
    } else if (answer.get().isRetired()) {
      // The process that has retired it may have ended before it could delete it.
      update(pod, PoolPod::retiring);
    } else if (!answer.get().isIdle()) {
      update(pod, PoolPod::claimed);
    } else if (!answer.get().supports(Hello.REFUSE)) {
      starts.cannotRefuse(pod.key(), pod.template().hash());
    } else if (runners.isReady(pod.pod())) {
      test(pod, answer.get(), began);
    } else {
      update(pod, PoolPod::missed);
    }
  }

  private void update(WarmPod pod, UnaryOperator<PoolPod> what) {
    WarmPods.Change change = warmPods.update(pod.uid(), what);
    if (change.before() instanceof Idle && !(change.after() instanceof Idle)) {
      LOG.info("Warm Pod {} no longer answers as one", pod.pod().getMetadata().getName());
    }
  }

  private void test(WarmPod pod, Hello hello, Instant began) {
    EgressCheck.Verdict verdict = egress.check(pod.pod(), hello);
    warmPods
        .tested(new PoolPod.Test(pod, hello, verdict, began))
        .ifPresent(
            change -> {
              switch (change.after()) {
                case Idle unused -> offered(pod, change.before());
                case Checking known -> withheld(pod.pod(), verdict, change.before(), known);
                case Claimed unused -> {}
                case Retiring unused -> {}
              }
            });
  }

  private void offered(WarmPod pod, PoolPod before) {
    warmPods.queue().podIsIdle(pod.key());
    if (before instanceof Checking checking && checking.startsSince() != null) {
      starts.succeeded(pod.key(), pod.pod().getMetadata().getName());
    }
  }

  /**
   * No run is given the Pod until its network is closed. It stays: the next one would be as open.
   */
  private void withheld(Pod pod, EgressCheck.Verdict verdict, PoolPod before, Checking known) {
    Instant since = known.withheldSince();
    boolean isLate = since != null && isOver(EgressCheck.GRACE, since, clock.instant());
    if (verdict instanceof EgressCheck.NotClosed found && (before instanceof Idle || isLate)) {
      egress.report(pod, found);
    }
  }
}
