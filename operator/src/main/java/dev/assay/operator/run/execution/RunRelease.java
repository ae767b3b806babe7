package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerEvent;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases a bound run from a Pod in which no code has run and none can run any more, so that it
 * gets another Pod.
 */
final class RunRelease {
  private static final Logger LOG = LoggerFactory.getLogger(RunRelease.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final PodView podView;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final RunFollower follower;
  private volatile boolean hasReleased;
  private volatile boolean hasDeletedPod;

  RunRelease(
      ExecutionServices services,
      ExecutionRequest request,
      PodView podView,
      RunStatusWriter status,
      ReceivedOutput output,
      RunFollower follower) {
    this.services = services;
    this.request = request;
    this.podView = podView;
    this.status = status;
    this.output = output;
    this.follower = follower;
  }

  /**
   * Releases a run whose worker failed to start for a cause outside the run.
   *
   * @return whether the run was released
   */
  boolean afterFailedStart(RunnerEvent.Result result) throws InterruptedException {
    if (FailedStart.retryableCause(result, null).isEmpty()) {
      return false;
    }
    boolean unused =
        podView.await(
            pod -> PodState.workerEnded(pod) || PodState.isTerminal(pod),
            ExecutionEndings.STATUS_LAG);
    Optional<String> cause = FailedStart.retryableCause(result, podView.now().orElse(null));
    return cause.isPresent() && release(cause.get());
  }

  /**
   * Releases a run whose warm Pod was told to refuse before the start arrived, and deletes the Pod.
   *
   * @return whether the run was released
   */
  boolean afterRefusal() {
    if (status.release(WarmAcquisition.messageOf(WarmAcquisition.REFUSES))
        == RunStatusWriter.Release.NOT_RELEASED) {
      return false;
    }
    hasReleased = true;
    deletePod();
    return true;
  }

  private void deletePod() {
    services.pods().delete(request.pod());
    hasDeletedPod = true;
  }

  /** Whether this execution has released the run, so that its Pod is of no use to anybody. */
  boolean hasReleased() {
    return hasReleased;
  }

  /** Whether it has deleted the Pod as well; false if that has failed. */
  boolean hasDeletedPod() {
    return hasDeletedPod;
  }

  /**
   * Releases the run, and then deletes what its worker has written, and its Pod, which can start no
   * job any more. A run that another leader has released already may have output of its next Pod,
   * so that its output is left to that leader.
   *
   * @return whether the run was released
   */
  private boolean release(String cause) throws InterruptedException {
    Optional<String> message = request.retry().message(cause);
    if (message.isEmpty()) {
      return false;
    }
    RunStatusWriter.Release released = status.release(message.get());
    if (released == RunStatusWriter.Release.NOT_RELEASED) {
      return false;
    }
    hasReleased = true;
    if (released == RunStatusWriter.Release.RELEASED) {
      // The output of a worker that failed to start must not become the beginning of the next
      // one's.
      output.forgetReleased();
    }
    LOG.info("Run {} gets another Pod: {}", request.name(), cause);
    services.events().waiting(request.run(), RunReason.WaitingForPod, message.get());
    boolean unused = follower.acknowledge();
    deletePod();
    return true;
  }
}
