package dev.assay.operator.pool;

import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerRefusedException;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Optional;

/**
 * Asks the runners of Pods whether they have a job, and has them take none any more. Each method
 * blocks until the runner answers, for at most some seconds.
 */
final class PoolRunners {
  private final RunnerClient runners;
  private final Retirement retirement;

  /** What the runner of a Pod answers. */
  sealed interface Answer {}

  /** It waits for a job. */
  record Waits(Hello hello) implements Answer {}

  /** It has a job. */
  record HasJob(Hello hello) implements Answer {}

  /** It starts nothing any more, since its Pod is to be deleted. */
  record Retired() implements Answer {}

  /** None, or that of another Pod. */
  record None() implements Answer {}

  PoolRunners(RunnerClient runners, Retirement retirement) {
    this.runners = runners;
    this.retirement = retirement;
  }

  /** Asks a Pod whether it has a job. */
  Answer ask(Pod pod) {
    // Without an address it can have no job of ours.
    Optional<RunnerAddress> address = RunnerAddress.find(pod);
    if (address.isEmpty() || !PodState.isReachable(pod)) {
      return new None();
    }
    try {
      Hello hello = runners.hello(address.get());
      if (!hello.podUid().equals(pod.getMetadata().getUid())) {
        return new None();
      }
      if (hello.isIdle()) {
        return new Waits(hello);
      }
      return hello.isRetired() ? new Retired() : new HasJob(hello);
    } catch (IOException | RunnerRefusedException e) {
      return new None();
    }
  }

  /** Whether the worker of a Pod that has answered can take a job. */
  boolean isReady(Pod pod) {
    try {
      return runners.isReady(RunnerAddress.of(pod));
    } catch (IOException | RunnerRefusedException e) {
      return false;
    }
  }

  /**
   * Has a Pod that is to be deleted start nothing any more, whoever gives it a job.
   *
   * @return false if it has a job
   */
  boolean retire(Pod pod) {
    return switch (ask(pod)) {
      case Waits waits -> retirement.retire(pod, waits.hello());
      case HasJob unused -> false;
      case Retired unused -> true;
      case None unused -> true;
    };
  }

  /**
   * The same for a Pod that may have been given a job, and has no run.
   *
   * @return false if it has started one
   */
  boolean retireUsed(Pod pod) {
    return switch (ask(pod)) {
      case Waits waits -> retirement.retire(pod, waits.hello());
      case HasJob used -> retirement.retire(pod, used.hello());
      case Retired unused -> true;
      case None unused -> true;
    };
  }
}
