package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.Effect.Removal;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerRefusedException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes the Pod of an execution that has ended, if it is of no use to anybody any more. */
final class PodRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(PodRemoval.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final PodView podView;
  private final Retirement retirement;

  PodRemoval(ExecutionServices services, ExecutionRequest request, PodView podView) {
    this.services = services;
    this.request = request;
    this.podView = podView;
    this.retirement = new Retirement(services.runners(), services.keys());
  }

  void remove(Removal removal) throws IOException, RunnerRefusedException {
    boolean mayGo =
        switch (removal) {
          case NONE -> false;
          case DELETE -> true;
          case DELETE_UNLESS_BOUND -> isNot(RunState::isBound);
          case REFUSE_FIRST -> refuses();
          // Another leader may have bound the run to it. Its start is refused, and it deletes the
          // Pod.
          case REFUSE_FIRST_UNLESS_BOUND -> refuses() && isNot(this::isBoundHere);
        };
    if (mayGo) {
      if (removal == Removal.DELETE_UNLESS_BOUND) {
        LOG.info("The Pod of run {} is of no use any more and is replaced", request.name());
      }
      delete();
    }
  }

  private void delete() {
    try {
      services.pods().delete(request.pod());
    } catch (KubernetesClientException e) {
      // Nobody else knows that it is of no use.
      services.pods().delete(request.pod());
    }
  }

  /**
   * Has the Pod start nothing any more.
   *
   * @return false if it has the job of another run, or has started this one for another leader: it
   *     is left to that run
   */
  private boolean refuses() throws IOException, RunnerRefusedException {
    if (podView.now().filter(PodState::isReachable).isEmpty()) {
      return true;
    }
    Hello hello = services.runners().hello(RunnerAddress.of(request.pod()));
    boolean hasAnother = hello.runUid() != null && !hello.runUid().equals(request.runUid());
    return hello.isRetired() || (!hasAnother && retirement.retire(request.pod(), hello));
  }

  /** As the API server has the run: a cache may be stale. */
  private boolean isNot(Predicate<AnalyticsRun> bound) {
    return services.wholes().read(request.run()).filter(bound).isEmpty();
  }

  private boolean isBoundHere(AnalyticsRun run) {
    return RunState.isBoundTo(RunState.statusOf(run), request.podUid());
  }
}
