package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets a run its Pod: hello, stage, and the write that binds the run to the Pod. A run that is
 * bound already gets its Pod again. A warm Pod may turn out to be that of another run.
 */
final class PodAcquisition {
  private static final Logger LOG = LoggerFactory.getLogger(PodAcquisition.class);

  /** Refusals of a runner that has a job of another run, or another job of this one. */
  private static final Set<String> OF_ANOTHER = Set.of("RunMismatch", "BytesChanged");

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<ExecutionState> state;
  private final RunStatusWriter status;
  private final InputDelivery deliveries;

  PodAcquisition(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<ExecutionState> state,
      RunStatusWriter status) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.status = status;
    this.deliveries = new InputDelivery(services);
  }

  /** The outcome. */
  sealed interface Outcome {}

  /**
   * The run is bound to the Pod, and the Pod has its job.
   *
   * @param isNew whether this process has just bound it; false if it was bound already
   */
  record Acquired(Binding binding, boolean isNew) implements Outcome {}

  /** The run belongs to another Pod, has ended, or gets another Pod. */
  record NotAcquired() implements Outcome {}

  /** Another run has the warm Pod, which must be left to it. */
  record Occupied() implements Outcome {}

  /**
   * The run cannot be done: by the runner in the Pod, or without what it reads.
   *
   * @param message what to do
   */
  record Refused(RunReason reason, String message) implements Outcome {}

  /**
   * The Pod is that of the run, but cannot be used.
   *
   * @param message why
   */
  record Unusable(String message) implements Outcome {}

  /**
   * Blocks until the run has its Pod.
   *
   * @param reachable when the Pod became reachable
   * @param giveUp when to stop waiting for its runner
   */
  Outcome acquire(RunnerSession session, Instant reachable, Instant giveUp)
      throws IOException,
          PodEndedException,
          RunnerLostException,
          RunnerRefusedException,
          InterruptedException {
    Hello hello = session.hello(request.pod(), giveUp);
    Optional<SigningKey> key = services.keys().forPod(CreatedPod.keyIds(request.pod()));
    if (key.isEmpty()) {
      return new Unusable("The signing key of the Pod was removed");
    }
    if (!isBoundToThisProcess(hello)) {
      return new Unusable("The runner was restarted during the run");
    }
    if (request.hasUnboundWarmPod()) {
      if (!hello.isIdle()) {
        return new Occupied();
      }
    } else if (!RunState.isBound(request.run()) && isUsedUp(hello)) {
      deleteUsedUpPod();
      return new NotAcquired();
    }
    Optional<String> missing =
        RunJob.missing(
            request.run().getSpec(),
            request.guard(),
            hello,
            ClassChoice.settled(request.run(), Optional.of(request.pod())).orElse(""));
    if (missing.isPresent()) {
      return new Refused(RunReason.StartFailed, missing.get());
    }
    if (isUnboundWithDatasets() && !hello.supports(Hello.SNAPSHOTS)) {
      return replaceOrRefuse("The runner image of the class is too old for datasets in warm Pods");
    }
    Binding candidate =
        new Binding(
            RunnerAddress.of(request.pod()),
            request.namespace(),
            request.runUid(),
            request.podUid(),
            hello.nonce(),
            key.get(),
            hello.features() == null ? List.of() : hello.features());
    return deliverStageAndBind(candidate, hello, reachable);
  }

  /** Before the bind, because a transfer may fail, and then the run gets another Pod. */
  private Outcome deliverStageAndBind(Binding candidate, Hello hello, Instant reachable)
      throws IOException, RunnerRefusedException {
    List<PinnedInput> inputs = List.of();
    if (!request.run().getSpec().inputList().isEmpty()) {
      Optional<AnalyticsRun> whole = services.wholes().read(request.run());
      if (whole.isEmpty()) {
        return new NotAcquired();
      }
      switch (deliveries.deliver(whole.get(), candidate, hello.isIdle())) {
        case InputDelivery.Delivered delivered -> inputs = delivered.inputs();
        case InputDelivery.Missing missing -> {
          return new Refused(RunReason.ArtifactNotFound, missing.message());
        }
        case InputDelivery.Failed failed -> {
          return replaceOrRefuse(failed.cause());
        }
      }
    }
    if (!request.hasUnboundWarmPod()) {
      return outcome(candidate, stageAndBind(candidate, hello, inputs, reachable));
    }
    try {
      return stageUnlessOccupied(candidate, hello)
          ? outcome(candidate, bind(hello, inputs, reachable))
          : new Occupied();
    } catch (RunnerRefusedException e) {
      if (!isUnboundWithDatasets()) {
        throw e;
      }
      return replaceOrRefuse("A warm Pod cannot open the datasets (" + e.code() + ")");
    }
  }

  private boolean isUnboundWithDatasets() {
    return request.hasUnboundWarmPod() && !request.snapshots().isEmpty();
  }

  private static Outcome outcome(Binding candidate, RunStatusWriter.Bind bind) {
    return switch (bind) {
      case BOUND -> new Acquired(candidate, true);
      case ALREADY_BOUND -> new Acquired(candidate, false);
      case NOT_BOUND -> new NotAcquired();
    };
  }

  /** No code has run: the run gets another Pod, as often as after other failures of a start. */
  private Outcome replaceOrRefuse(String cause) {
    if (request.retry().message(cause).isEmpty()) {
      return new Refused(RunReason.StartFailed, "The code was not started: " + cause);
    }
    LOG.info("The Pod of run {} is replaced: {}", request.name(), cause);
    services.pods().delete(request.pod());
    return new NotAcquired();
  }

  private boolean isBoundToThisProcess(Hello hello) {
    BoundPod bound = RunState.statusOf(request.run()).pod();
    return bound == null || hello.nonce().equals(bound.nonce());
  }

  /** Whether its runner was used already, so that it can start no run that is unbound. */
  private static boolean isUsedUp(Hello hello) {
    return !hello.isIdle() && !hello.isStaged();
  }

  /**
   * A cache may be stale: the Pod of a run that was bound by another replica must not be deleted.
   */
  private void deleteUsedUpPod() {
    if (services.wholes().read(request.run()).filter(RunState::isBound).isEmpty()) {
      LOG.info("The Pod of run {} can start no job any more and is replaced", request.name());
      services.pods().delete(request.pod());
    }
  }

  /**
   * Stages the job in a warm Pod, before the run is bound to it. To bind meanwhile would be faster,
   * but only the runner knows whether another leader has given the Pod to another run, and a bound
   * run could not leave the Pod any more.
   *
   * @return whether the Pod has the job; false if it has that of another run
   */
  private boolean stageUnlessOccupied(Binding candidate, Hello hello)
      throws IOException, RunnerRefusedException {
    try {
      stage(candidate, hello, List.of());
      return true;
    } catch (RunnerRefusedException e) {
      if (OF_ANOTHER.contains(e.code())) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Stages the job in the Pod and, at the same time, binds the run to the Pod and lowers the Pod's
   * deadline to what the run needs.
   */
  private RunStatusWriter.Bind stageAndBind(
      Binding candidate, Hello hello, List<PinnedInput> inputs, Instant reachable)
      throws IOException, RunnerRefusedException {
    CompletableFuture<Void> staged =
        hello.isIdle()
            ? CompletableFuture.runAsync(
                () -> stageInBackground(candidate, hello, inputs), services.threads())
            : CompletableFuture.completedFuture(null);
    CompletableFuture<Void> lowered =
        PodState.isWarm(request.pod())
            // It is adopted once it is bound.
            ? CompletableFuture.completedFuture(null)
            : CompletableFuture.runAsync(
                () -> services.pods().lowerDeadline(request.pod(), request.podLife()),
                services.threads());
    RunStatusWriter.Bind bind = bind(hello, inputs, reachable);
    if (bind != RunStatusWriter.Bind.NOT_BOUND) {
      // Otherwise the result of staging does not matter.
      join(staged);
      join(lowered);
    }
    return bind;
  }

  private RunStatusWriter.Bind bind(Hello hello, List<PinnedInput> inputs, Instant reachable) {
    RunStatusWriter.Bind bind = status.bind(hello.nonce(), inputs, reachable);
    if (bind == RunStatusWriter.Bind.ALREADY_BOUND) {
      // Before anything can fail: who has bound it may have started it.
      state.updateAndGet(ExecutionState::resuming);
    }
    return bind;
  }

  private void stageInBackground(Binding candidate, Hello hello, List<PinnedInput> inputs) {
    try {
      stage(candidate, hello, inputs);
    } catch (IOException | RunnerRefusedException e) {
      throw new CompletionException(e);
    }
  }

  private void stage(Binding candidate, Hello hello, List<PinnedInput> inputs)
      throws IOException, RunnerRefusedException {
    Optional<AnalyticsRun> whole = services.wholes().read(request.run());
    if (whole.isEmpty()) {
      // The run was deleted; the bind will fail.
      return;
    }
    try {
      services
          .runners()
          .stage(
              candidate,
              RunJob.of(
                  whole.get(),
                  request.read(inputs),
                  hello,
                  new RunJob.ClassPolicy(request.limits().artifacts(), request.guard()),
                  request.jobLimits()));
    } catch (RunnerRefusedException e) {
      // A previous leader has just staged the same run's job, with another signature; a warm Pod
      // may have been given other snapshots by it.
      if (!"BytesChanged".equals(e.code()) || isUnboundWithDatasets()) {
        throw e;
      }
    }
  }

  private static void join(CompletableFuture<Void> future)
      throws IOException, RunnerRefusedException {
    try {
      future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof RunnerRefusedException refused) {
        throw refused;
      }
      throw e;
    }
  }
}
