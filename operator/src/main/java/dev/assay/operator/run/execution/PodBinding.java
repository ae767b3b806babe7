package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.Effect;
import dev.assay.operator.run.machine.Event;
import dev.assay.operator.run.machine.RunMachine;
import dev.assay.operator.run.machine.RunnerJob;
import dev.assay.operator.run.machine.Staging;
import dev.assay.operator.run.machine.Target;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodEndedException;
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
import org.jspecify.annotations.Nullable;

/**
 * Binds a run to its Pod while the Pod takes its job, takes over a run that was bound before, and
 * takes a run from its Pod.
 */
final class PodBinding {
  /** How a runner refuses the snapshots of a job: they are missing, too many, or not mounted. */
  private static final Set<String> DATASETS_REFUSED = Set.of("NotFound", "TooLarge", "WrongKind");

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final RunStatusWriter status;
  private final JobStaging staging;

  PodBinding(
      ExecutionServices services,
      ExecutionRequest request,
      JobStaging staging,
      RunStatusWriter status) {
    this.services = services;
    this.request = request;
    this.status = status;
    this.staging = staging;
  }

  /**
   * Stages the job in the Pod, unless it has it, and binds the run to the Pod and lowers the Pod's
   * deadline to what the run needs, all at the same time.
   *
   * @param reachable when the Pod became reachable
   */
  Event bind(RunnerSession session, Target target, List<PinnedInput> inputs, Instant reachable) {
    CompletableFuture<Staging> staged =
        target.hello().isIdle()
            ? CompletableFuture.supplyAsync(() -> stage(target, inputs), services.threads())
            : CompletableFuture.completedFuture(new Staging.Staged());
    CompletableFuture<Void> lowered =
        PodState.isWarm(request.pod())
            // It is adopted once it is bound.
            ? CompletableFuture.completedFuture(null)
            : CompletableFuture.runAsync(
                () -> services.pods().lowerDeadline(request.pod(), request.podLife()),
                services.threads());
    RunStatusWriter.Bind bind =
        status.bind(target.hello().nonce(), inputs, request.queued(), reachable);
    if (bind == RunStatusWriter.Bind.NOT_BOUND) {
      // The result of staging does not matter.
      return notOurs();
    }
    Staging result = staged.join();
    if (result instanceof Staging.Staged) {
      lowered.join();
    }
    return bind == RunStatusWriter.Bind.BOUND
        ? new Event.BoundNow(target, result, session.isPodReachable(), null)
        // A Pod of its own was created with the snapshots, and a warm one has been asked.
        : new Event.BoundBefore(target, result, true, null);
  }

  private Staging stage(Target target, List<PinnedInput> inputs) {
    try {
      staging.stage(target, staging.readWhole(), inputs);
      return new Staging.Staged();
    } catch (InvalidInputException e) {
      return new Staging.Invalid(e.problem());
    } catch (RunnerRefusedException e) {
      return new Staging.Refused(
          e.code(), JobStaging.isOfTheJob(e.code()), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return new Staging.Unanswered(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The same with a warm Pod that was just given to the run. The run may have been admitted on a
   * stale cache: its job is staged only if the API server shows, meanwhile, that its snapshots are
   * current.
   *
   * @param idle what the runner answered while it waited
   * @param reachable when the Pod was given to the run
   * @param giveUp when to stop waiting for its runner
   */
  Event bindWarm(RunnerSession session, Hello idle, Instant reachable, Instant giveUp) {
    Optional<SigningKey> key = staging.key();
    if (key.isEmpty()) {
      return new Event.RunnerLost(JobStaging.KEY_REMOVED);
    }
    Optional<String> missing = staging.missing(idle);
    if (missing.isPresent()) {
      return new Event.Impossible(RunReason.StartFailed, missing.get());
    }
    Target target = new Target(staging.binding(idle, key.get()), idle);
    // Sent only once the run is bound.
    CompletableFuture<SignedStart> start =
        CompletableFuture.supplyAsync(
            () -> services.runners().signStart(target.binding()), services.threads());
    CompletableFuture<Staging> staged =
        CompletableFuture.supplyAsync(() -> stageWarm(session, target, giveUp), services.threads());
    return switch (status.bind(idle.nonce(), List.of(), request.queued(), reachable)) {
      case NOT_BOUND ->
          staged.join() instanceof Staging.Failed failed && failed.byAnotherRun()
              ? new Event.PodOccupied()
              : notOurs();
      case ALREADY_BOUND ->
          new Event.BoundBefore(
              target, staged.join(), status.hasItsSnapshots(), signed(staged, start));
      case BOUND ->
          new Event.BoundNow(
              target, staged.join(), session.isPodReachable(), signed(staged, start));
    };
  }

  /** Null where it is not needed, so that it cannot fail for nothing. */
  private static @Nullable SignedStart signed(
      CompletableFuture<Staging> staged, CompletableFuture<SignedStart> start) {
    return staged.join() instanceof Staging.Staged ? start.join() : null;
  }

  private Staging stageWarm(RunnerSession session, Target target, Instant giveUp) {
    CompletableFuture<Optional<AnalyticsRun>> whole =
        CompletableFuture.supplyAsync(staging::readWhole, services.threads());
    CompletableFuture<Boolean> current = staging.hasCurrentSnapshots();
    try {
      Hello hello = session.hello(request.pod(), giveUp);
      return switch (RunnerJob.of(
          request.runUid(), target.binding().nonce(), hello, staging.hasSnapshots(hello))) {
        case NONE -> {
          if (!current.join()) {
            yield new Staging.Failed(RunMachine.DATASETS_CHANGED, false);
          }
          staging.stage(new Target(target.binding(), hello), whole.join(), List.of());
          yield new Staging.Staged();
        }
        // By another leader.
        case STAGED -> new Staging.Staged();
        case OTHER_SNAPSHOTS, STARTED -> new Staging.Failed(RunMachine.STAGED_BY_ANOTHER, false);
        case OF_ANOTHER_RUN -> new Staging.Failed(RunMachine.OCCUPIED, true);
        case REFUSES_ALL -> new Staging.Failed(RunMachine.REFUSES, false);
        case RESTARTED -> new Staging.Failed("its runner was restarted", false);
      };
    } catch (RunnerRefusedException e) {
      return refused(e.code());
    } catch (InvalidInputException e) {
      return new Staging.Invalid(e.problem());
    } catch (PodEndedException e) {
      return new Staging.Failed("it has ended", false);
    } catch (IOException e) {
      if (request.bringsDatasets()) {
        // It answered before it had to open them, which may take forever on a broken volume.
        services.refusals().snapshotsRefused(request.namespace(), request.snapshots());
      }
      return new Staging.Failed("its runner does not answer", false);
    } catch (RunnerLostException e) {
      return new Staging.Failed("its runner does not answer", false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Staging.Failed("the operator is shutting down", false);
    }
  }

  private Staging refused(String code) {
    if (JobStaging.RUN_MISMATCH.equals(code)) {
      return new Staging.Failed(RunMachine.OCCUPIED, true);
    }
    if (request.bringsDatasets() && DATASETS_REFUSED.contains(code)) {
      services.refusals().snapshotsRefused(request.namespace(), request.snapshots());
      return new Staging.Failed("it cannot open the datasets (" + code + ")", false);
    }
    if (JobStaging.BYTES_CHANGED.equals(code)) {
      return new Staging.Failed(RunMachine.STAGED_BY_ANOTHER, false);
    }
    if (RunnerRefusedException.REFUSED.equals(code)) {
      return new Staging.Failed(RunMachine.REFUSES, false);
    }
    // Or a job that no runner takes would use up the pool.
    services.refusals().runRefused(request.namespace(), request.runUid());
    return new Staging.Failed("its runner refused the code with " + code, false);
  }

  Event takeOver(Target target, @Nullable SignedStart start) {
    return status.retake() ? new Event.TakenOver(target, start) : notOurs();
  }

  Event unbind(Effect.Unbind effect) {
    RunStatusWriter.Release release =
        effect.byBinder() ? status.giveBack(effect.message()) : status.release(effect.message());
    return switch (release) {
      case RELEASED -> new Event.Unbound(effect, true);
      case ALREADY_RELEASED -> new Event.Unbound(effect, false);
      case NOT_RELEASED -> new Event.NotUnbound(effect, status.isBound());
    };
  }

  private Event notOurs() {
    return new Event.NotOurs(status.isBound());
  }
}
