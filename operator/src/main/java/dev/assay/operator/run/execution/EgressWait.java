package dev.assay.operator.run.execution;

import dev.assay.operator.egress.ClosedRounds;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Has a run wait until the network of its Pod is closed, before the run is bound to the Pod: in the
 * same Pod, since the next one would be as open. Where the policy works this takes less time than
 * the worker takes to import its libraries. For one run.
 */
final class EgressWait {
  private static final Duration FIRST_RETRY = Duration.ofMillis(20);
  private static final Duration LAST_RETRY = Duration.ofSeconds(1);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<State> state;
  private final PodView podView;
  private @Nullable NotClosed reported;

  EgressWait(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<State> state,
      PodView podView) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.podView = podView;
  }

  /**
   * Blocks until the network is closed.
   *
   * @return false if the run cannot wait for that any more: it was cancelled, its Pod has ended, or
   *     its pending deadline has passed, which has ended it
   */
  boolean await(Hello hello) throws InterruptedException {
    Instant began = services.clock().instant();
    Duration retry = FIRST_RETRY;
    ClosedRounds rounds = ClosedRounds.NONE;
    while (true) {
      Verdict verdict = services.egress().check(request.pod(), hello);
      rounds = rounds.with(verdict);
      if (rounds.suffice()) {
        return true;
      }
      Duration pause = verdict instanceof NotClosed ? retry : FIRST_RETRY;
      if (state.get().cancelled()
          || (verdict instanceof NotClosed open && !mayWait(open, began))
          || podView.await(pod -> !PodState.isReachable(pod), pause)) {
        return false;
      }
      Duration doubled = retry.multipliedBy(2);
      retry = doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled;
    }
  }

  private boolean mayWait(NotClosed open, Instant began) {
    if (services.clock().instant().isBefore(began.plus(EgressCheck.GRACE))) {
      return true;
    }
    services.egress().report(request.pod(), open);
    boolean isOver = request.waiting().left().isZero();
    if (isOver || reported == null || reported.couldConnect() != open.couldConnect()) {
      request.waiting().because(open.message());
      reported = open;
    }
    return !isOver;
  }
}
