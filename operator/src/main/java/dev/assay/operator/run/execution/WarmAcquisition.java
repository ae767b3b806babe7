package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.Binding;
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
import java.util.concurrent.atomic.AtomicReference;

/**
 * Binds a run to the warm Pod that it was given while the Pod takes its job. A Pod that does not
 * take it gives way to the next: the run is given back, which only this process can do, and only
 * before it sends the start. The run may have been admitted on a stale cache: its job is staged
 * only if the API server shows, meanwhile, that its snapshots are current.
 */
final class WarmAcquisition {
  static final String OCCUPIED = "another run has it";

  static final String STAGED_BY_ANOTHER = "another operator has staged the run in it";

  static final String DATASETS_CHANGED = "a dataset has changed meanwhile";

  static final String REFUSES = "it was told to start nothing";

  /** How a runner refuses the snapshots of a job: they are missing, too many, or not mounted. */
  private static final Set<String> DATASETS_REFUSED = Set.of("NotFound", "TooLarge", "WrongKind");

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<ExecutionState> state;
  private final RunStatusWriter status;
  private final JobStaging staging;

  WarmAcquisition(
      ExecutionServices services,
      ExecutionRequest request,
      AtomicReference<ExecutionState> state,
      RunStatusWriter status,
      JobStaging staging) {
    this.services = services;
    this.request = request;
    this.state = state;
    this.status = status;
    this.staging = staging;
  }

  /** Whether the Pod has taken the job. */
  private sealed interface Staging {}

  private record Staged() implements Staging {}

  /**
   * It has not.
   *
   * @param byAnotherRun whether it has the job of another run, which it must be left to
   */
  private record Failed(String cause, boolean byAnotherRun) implements Staging {}

  /** No Pod would take it. */
  private record Invalid(String message) implements Staging {}

  /**
   * Blocks until the run has its Pod.
   *
   * @param idle what the runner answered while it waited
   * @param reachable when the Pod was given to the run
   * @param giveUp when to stop waiting for its runner
   */
  PodAcquisition.Outcome acquire(
      RunnerSession session, Hello idle, Instant reachable, Instant giveUp) {
    Optional<SigningKey> key = staging.key();
    if (key.isEmpty()) {
      return new PodAcquisition.Unusable("The signing key of the Pod was removed");
    }
    Optional<String> missing = staging.missing(idle);
    if (missing.isPresent()) {
      return new PodAcquisition.Refused(RunReason.StartFailed, missing.get());
    }
    Binding candidate = staging.binding(idle, key.get());
    // Sent only once the run is bound.
    CompletableFuture<SignedStart> start =
        CompletableFuture.supplyAsync(
            () -> services.runners().signStart(candidate), services.threads());
    CompletableFuture<Staging> staged =
        CompletableFuture.supplyAsync(() -> stage(session, candidate, giveUp), services.threads());
    return switch (status.bind(idle.nonce(), List.of(), request.queued(), reachable)) {
      case NOT_BOUND -> notAcquired(staged.join());
      case ALREADY_BOUND -> {
        // Before anything can fail: who has bound it may have started it.
        state.updateAndGet(ExecutionState::resuming);
        yield resume(candidate, staged.join(), start);
      }
      case BOUND -> outcome(session, candidate, staged.join(), start);
    };
  }

  private Staging stage(RunnerSession session, Binding candidate, Instant giveUp) {
    CompletableFuture<Optional<AnalyticsRun>> whole =
        CompletableFuture.supplyAsync(staging::readWhole, services.threads());
    CompletableFuture<Boolean> current = staging.hasCurrentSnapshots();
    try {
      Hello hello = session.hello(request.pod(), giveUp);
      if (!hello.nonce().equals(candidate.nonce())) {
        return new Failed("its runner was restarted", false);
      }
      if (hello.isIdle()) {
        if (!current.join()) {
          return new Failed(DATASETS_CHANGED, false);
        }
        staging.stage(candidate, hello, whole.join(), List.of());
        return new Staged();
      }
      if (hello.isRetired()) {
        return new Failed(REFUSES, false);
      }
      if (!request.runUid().equals(hello.runUid())) {
        return new Failed(OCCUPIED, true);
      }
      // Another leader has staged the job of this run, perhaps with other snapshots.
      return hello.isStaged() && staging.hasSnapshots(hello)
          ? new Staged()
          : new Failed(STAGED_BY_ANOTHER, false);
    } catch (RunnerRefusedException e) {
      return refused(e.code());
    } catch (InvalidInputException e) {
      return new Invalid(e.problem());
    } catch (PodEndedException e) {
      return new Failed("it has ended", false);
    } catch (IOException e) {
      if (request.bringsDatasets()) {
        // It answered before it had to open them, which may take forever on a broken volume.
        services.refusals().snapshotsRefused(request.namespace(), request.snapshots());
      }
      return new Failed("its runner does not answer", false);
    } catch (RunnerLostException e) {
      return new Failed("its runner does not answer", false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Failed("the operator is shutting down", false);
    }
  }

  private Failed refused(String code) {
    if ("RunMismatch".equals(code)) {
      return new Failed(OCCUPIED, true);
    }
    if (request.bringsDatasets() && DATASETS_REFUSED.contains(code)) {
      services.refusals().snapshotsRefused(request.namespace(), request.snapshots());
      return new Failed("it cannot open the datasets (" + code + ")", false);
    }
    if ("BytesChanged".equals(code)) {
      return new Failed(STAGED_BY_ANOTHER, false);
    }
    if (RunnerRefusedException.REFUSED.equals(code)) {
      return new Failed(REFUSES, false);
    }
    // Or a job that no runner takes would use up the pool.
    services.refusals().runRefused(request.namespace(), request.runUid());
    return new Failed("its runner refused the code with " + code, false);
  }

  /**
   * Another leader has bound the run to the same runner, and may be running it: whatever this
   * process has seen of the Pod does not end the run. Unless the Pod has the job that the run is
   * bound with, the reconciler resumes the run from its status, with the snapshots there.
   */
  private PodAcquisition.Outcome resume(
      Binding candidate, Staging staged, CompletableFuture<SignedStart> start) {
    return staged instanceof Staged && status.hasItsSnapshots()
        ? new PodAcquisition.Acquired(candidate, false, start.join())
        : new PodAcquisition.NotAcquired();
  }

  private PodAcquisition.Outcome outcome(
      RunnerSession session,
      Binding candidate,
      Staging staged,
      CompletableFuture<SignedStart> start) {
    return switch (staged) {
      case Staged unused when !session.isPodReachable() ->
          giveBack(new Failed("it is about to end", false));
      case Staged unused -> new PodAcquisition.Acquired(candidate, true, start.join());
      case Failed failed -> giveBack(failed);
      case Invalid invalid -> new PodAcquisition.Refused(RunReason.InvalidSpec, invalid.message());
    };
  }

  private PodAcquisition.Outcome giveBack(Failed failed) {
    // Otherwise another leader has taken the run over, or it has ended.
    return status.giveBack(messageOf(failed.cause()))
        ? new PodAcquisition.GivenBack(failed.byAnotherRun(), failed.cause())
        : notAcquired(failed);
  }

  /** Why a run leaves its warm Pod, as its status says it. */
  static String messageOf(String cause) {
    return "Its warm Pod did not take the code: " + cause;
  }

  /** The Pod of another run is left to it, whatever has become of this one. */
  private static PodAcquisition.Outcome notAcquired(Staging staged) {
    return staged instanceof Failed failed && failed.byAnotherRun()
        ? new PodAcquisition.LeftToAnother()
        : new PodAcquisition.NotAcquired();
  }
}
