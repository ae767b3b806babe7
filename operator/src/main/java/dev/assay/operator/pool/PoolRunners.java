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

  PoolRunners(RunnerClient runners, Retirement retirement) {
    this.runners = runners;
    this.retirement = retirement;
  }

  /** What the runner of a Pod answers; empty if nothing, or that it is another Pod. */
  Optional<Hello> ask(Pod pod) {
    // Without an address it can have no job of ours.
    Optional<RunnerAddress> address =
        RunnerAddress.find(pod).filter(unused -> PodState.isReachable(pod));
    try {
      return address.isEmpty()
          ? Optional.empty()
          : Optional.of(runners.hello(address.get()))
              .filter(hello -> hello.podUid().equals(pod.getMetadata().getUid()));
    } catch (IOException | RunnerRefusedException e) {
      return Optional.empty();
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
    Optional<Hello> hello = ask(pod);
    return hello.isEmpty()
        || hello.get().isRetired()
        || (hello.get().isIdle() && retirement.retire(pod, hello.get()));
  }

  /**
   * The same for a Pod that may have been given a job, and has no run.
   *
   * @return false if it has started one
   */
  boolean retireUsed(Pod pod) {
    Optional<Hello> hello = ask(pod);
    return hello.isEmpty() || hello.get().isRetired() || retirement.retire(pod, hello.get());
  }
}
