package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.machine.Event;
import dev.assay.operator.run.machine.RunnerJob;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.machine.Target;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is asked of a Pod, and brought to it, before the run is bound to it. */
final class PodAcquisition {
  private static final Logger LOG = LoggerFactory.getLogger(PodAcquisition.class);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final InputDelivery deliveries;
  private final JobStaging staging;
  private final EgressWait egress;

  PodAcquisition(
      ExecutionServices services,
      ExecutionRequest request,
      JobStaging staging,
      AtomicReference<State> state,
      PodView podView) {
    this.services = services;
    this.request = request;
    this.deliveries = new InputDelivery(services);
    this.staging = staging;
    this.egress = new EgressWait(services, request, state, podView);
  }

  /**
   * Blocks until the runner answers.
   *
   * @param giveUp when to stop waiting for it
   */
  Event greet(RunnerSession session, Instant giveUp)
      throws PodEndedException, RunnerLostException, InterruptedException {
    Hello hello = session.hello(request.pod(), giveUp);
    Optional<SigningKey> key = staging.key();
    if (key.isEmpty()) {
      return new Event.RunnerLost(JobStaging.KEY_REMOVED);
    }
    BoundPod bound = RunState.statusOf(request.run()).pod();
    RunnerJob job =
        RunnerJob.of(
            request.runUid(),
            bound == null ? null : bound.nonce(),
            hello,
            staging.hasSnapshots(hello));
    return new Event.Greeted(
        new Target(staging.binding(hello, key.get()), hello),
        job,
        staging.missing(hello).orElse(null));
  }

  Event awaitClosedNetwork(Target target) throws InterruptedException {
    return egress.await(target.hello()) ? new Event.NetworkClosed(target) : new Event.NetworkOpen();
  }

  Event readSnapshots(Target target) {
    return new Event.SnapshotsRead(target, staging.hasCurrentSnapshots().join());
  }

  /** Before the bind, because a transfer may fail, and then the run gets another Pod. */
  Event deliver(Target target) {
    if (request.run().getSpec().inputList().isEmpty()) {
      return new Event.Delivered(target, List.of());
    }
    Optional<AnalyticsRun> whole = services.wholes().read(request.run());
    if (whole.isEmpty()) {
      return new Event.RunDeleted();
    }
    return switch (deliveries.deliver(whole.get(), target.binding(), target.hello().isIdle())) {
      case InputDelivery.Delivered delivered -> new Event.Delivered(target, delivered.inputs());
      case InputDelivery.Missing missing ->
          new Event.Impossible(RunReason.ArtifactNotFound, missing.message());
      case InputDelivery.Failed failed -> {
        boolean mayRetry = request.retry().message(failed.cause()).isPresent();
        LOG.info("The inputs of run {} are not in its Pod: {}", request.name(), failed.cause());
        yield new Event.NotDelivered(failed.cause(), mayRetry);
      }
    };
  }

  /**
   * Tells the runner to refuse every run. The run is bound with other snapshots than those that it
   * would read in the warm Pod, or with old ones, and the process that has bound it has not given
   * it back. It leaves the Pod once that starts nothing any more, whoever has staged what there.
   */
  Event refuse(Target target, String cause) throws RunnerRefusedException {
    try {
      services.runners().refuse(target.binding());
      return new Event.Refuses(cause);
    } catch (IOException e) {
      return new Event.MayHaveStarted();
    } catch (RunnerRefusedException e) {
      if (JobStaging.isOfTheJob(e.code()) && !RunnerRefusedException.STARTED.equals(e.code())) {
        throw e;
      }
      return new Event.MayHaveStarted();
    }
  }
}
