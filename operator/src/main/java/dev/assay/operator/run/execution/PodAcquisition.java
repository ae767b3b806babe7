package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.runner.SignedStart;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets a run its Pod: hello, stage, and the write that binds the run to the Pod. A run that is
 * bound already gets its Pod again. A warm Pod may turn out to be that of another run.
 */
final class PodAcquisition {
  private static final Logger LOG = LoggerFactory.getLogger(PodAcquisition.class);

  /**
   * Refusals that do not depend on the job: the runner was given one or told to refuse meanwhile,
   * or the request came late, or to another runner.
   */
  private static final Set<String> NOT_OF_THE_JOB =
      Set.of(
          "BytesChanged",
          "RunMismatch",
          "Expired",
          "WrongNonce",
          "WrongPod",
          RunnerRefusedException.REFUSED);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<ExecutionState> state;
  private final RunStatusWriter status;
  private final InputDelivery deliveries;
  private final JobStaging staging;
  private final WarmAcquisition warm;
  private final EgressWait egress;

  PodAcquisition(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<ExecutionState> state,
      RunStatusWriter status,
      PodView podView) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.status = status;
    this.deliveries = new InputDelivery(services);
    this.staging = new JobStaging(services, request);
    this.warm = new WarmAcquisition(services, request, state, status, staging);
    this.egress = new EgressWait(services, request, state, podView);
  }

  /** The outcome. */
  sealed interface Outcome {}

  /**
   * The run is bound to the Pod, and the Pod has its job.
   *
   * @param isNew whether this process has just bound it; false if it was bound already
   * @param start signed meanwhile; null if it was not
   */
  record Acquired(Binding binding, boolean isNew, @Nullable SignedStart start) implements Outcome {
    /** Whose start is not signed yet. */
    Acquired(Binding binding, boolean isNew) {
      this(binding, isNew, null);
    }
  }

  /** The run belongs to another Pod, has ended, or gets another Pod. */
  record NotAcquired() implements Outcome {}

  /** The same, and the warm Pod has another run, which it must be left to. */
  record LeftToAnother() implements Outcome {}

  /**
   * The warm Pod did not take the job, and the run is bound to no Pod.
   *
   * @param byAnotherRun whether another run has the Pod, which must be left to it
   * @param cause why
   */
  record GivenBack(boolean byAnotherRun, String cause) implements Outcome {}

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
    Hello idle = request.idleHello();
    return idle == null
        ? acquire(session.hello(request.pod(), giveUp), reachable)
        : warm.acquire(session, idle, reachable, giveUp);
  }

  private Outcome acquire(Hello hello, Instant reachable)
      throws IOException, RunnerRefusedException, InterruptedException {
    Optional<SigningKey> key = staging.key();
    if (key.isEmpty()) {
      return new Unusable("The signing key of the Pod was removed");
    }
    if (!isBoundToThisProcess(hello)) {
      return new Unusable("The runner was restarted during the run");
    }
    Binding candidate = staging.binding(hello, key.get());
    return RunState.isBound(request.run())
        ? resume(candidate, hello, reachable)
        : begin(candidate, hello, reachable);
  }

  private Outcome begin(Binding candidate, Hello hello, Instant reachable)
      throws IOException, RunnerRefusedException, InterruptedException {
    if (isUsedUp(hello)) {
      deleteUsedUpPod();
      return new NotAcquired();
    }
    Optional<String> missing = staging.missing(hello);
    if (missing.isPresent()) {
      return new Refused(RunReason.StartFailed, missing.get());
    }
    return egress.await(hello)
        ? deliverStageAndBind(candidate, hello, reachable)
        : new NotAcquired();
  }

  /** Who has bound the run may have started it; its Pod was seen to be refused a connection. */
  private Outcome resume(Binding candidate, Hello hello, Instant reachable)
      throws IOException, RunnerRefusedException {
    if (hello.isRetired()) {
      return leave(WarmAcquisition.REFUSES, false);
    }
    if (isOfAnotherRun(hello)) {
      // A runner takes one run, so that no process can have started this one there.
      return leave(WarmAcquisition.OCCUPIED, true);
    }
    if (hello.isStaged() && !staging.hasSnapshots(hello)) {
      return hello.supports(Hello.REFUSE)
          ? leaveOnceItRefuses(candidate, WarmAcquisition.STAGED_BY_ANOTHER)
          // Nobody starts a job on other snapshots than those in the status.
          : leave(WarmAcquisition.STAGED_BY_ANOTHER, false);
    }
    Optional<String> missing = staging.missing(hello);
    if (missing.isPresent()) {
      return new Refused(RunReason.StartFailed, missing.get());
    }
    if (hello.isIdle() && !staging.hasCurrentSnapshots().join()) {
      return hello.supports(Hello.REFUSE)
          ? leaveOnceItRefuses(candidate, WarmAcquisition.DATASETS_CHANGED)
          : new Unusable(
              "A dataset has changed, and its warm Pod, from a release before 0.3, cannot be"
                  + " released: send the code again");
    }
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
    return stageAndBind(candidate, hello, inputs, reachable);
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

  private boolean isOfAnotherRun(Hello hello) {
    boolean hasAnother = hello.runUid() != null && !request.runUid().equals(hello.runUid());
    return !hello.isIdle() && hasAnother;
  }

  /** Releases a run that its Pod has not started and will not start. */
  private Outcome leave(String cause, boolean toAnotherRun) {
    return status.release(WarmAcquisition.messageOf(cause)) == RunStatusWriter.Release.NOT_RELEASED
        ? new NotAcquired()
        : new GivenBack(toAnotherRun, cause);
  }

  /**
   * The run is bound with other snapshots than those that it would read in the warm Pod, or with
   * old ones, and the process that has bound it has not given it back. It leaves the Pod once that
   * starts nothing any more, whoever has staged what there.
   */
  private Outcome leaveOnceItRefuses(Binding candidate, String cause)
      throws RunnerRefusedException {
    try {
      services.runners().refuse(candidate);
    } catch (IOException e) {
      return new NotAcquired();
    } catch (RunnerRefusedException e) {
      if (NOT_OF_THE_JOB.contains(e.code()) || RunnerRefusedException.STARTED.equals(e.code())) {
        // It was started meanwhile, perhaps: the reconciler resumes the run.
        return new NotAcquired();
      }
      throw e;
    }
    return leave(cause, false);
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
   * Stages the job in the Pod and, at the same time, binds the run to the Pod and lowers the Pod's
   * deadline to what the run needs.
   */
  private Outcome stageAndBind(
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
    if (bind == RunStatusWriter.Bind.NOT_BOUND) {
      // The result of staging does not matter.
      return new NotAcquired();
    }
    boolean isNew = bind == RunStatusWriter.Bind.BOUND;
    try {
      join(staged);
    } catch (InvalidInputException e) {
      return new Refused(RunReason.InvalidSpec, e.problem());
    } catch (IOException e) {
      if (isNew) {
        throw e;
      }
      return new NotAcquired();
    } catch (RunnerRefusedException e) {
      if (!isNew && mayBeRunByAnother(e)) {
        return new NotAcquired();
      }
      if (!isNew) {
        throw e;
      }
      return new Refused(
          RunReason.StartFailed,
          "The code was not started: the runner refused it with " + e.code());
    }
    lowered.join();
    return new Acquired(candidate, isNew);
  }

  /**
   * Whether the operator process that has bound the run may be running it, although the job was
   * refused here: then the reconciler resumes the run from its status.
   */
  private boolean mayBeRunByAnother(RunnerRefusedException refusal) {
    return !RunState.isBound(request.run()) || NOT_OF_THE_JOB.contains(refusal.code());
  }

  private RunStatusWriter.Bind bind(Hello hello, List<PinnedInput> inputs, Instant reachable) {
    RunStatusWriter.Bind bind = status.bind(hello.nonce(), inputs, request.queued(), reachable);
    if (bind == RunStatusWriter.Bind.ALREADY_BOUND) {
      // Before anything can fail: who has bound it may have started it.
      state.updateAndGet(ExecutionState::resuming);
    }
    return bind;
  }

  private void stageInBackground(Binding candidate, Hello hello, List<PinnedInput> inputs) {
    try {
      staging.stage(candidate, hello, staging.readWhole(), inputs);
    } catch (IOException | RunnerRefusedException | InvalidInputException e) {
      throw new CompletionException(e);
    }
  }

  private static void join(CompletableFuture<Void> future)
      throws IOException, RunnerRefusedException, InvalidInputException {
    try {
      future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof RunnerRefusedException refused) {
        throw refused;
      }
      if (e.getCause() instanceof InvalidInputException invalid) {
        throw invalid;
      }
      throw e;
    }
  }
}
