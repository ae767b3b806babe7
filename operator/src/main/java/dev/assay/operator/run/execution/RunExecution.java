package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.results.ReceivedArtifacts;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunOrigin;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes one run: acquires its Pod, follows the run in it, and writes the ending. Blocks its
 * thread. The code is started only after the write that binds the run to the Pod.
 */
public final class RunExecution {
  private static final Logger LOG = LoggerFactory.getLogger(RunExecution.class);

  /** How long a warm Pod, which has answered before, may take to answer again. */
  private static final Duration WARM_HELLO = Duration.ofSeconds(1);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final PodView podView;
  private final AtomicReference<ExecutionState> state;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final RunCancellation cancellation;
  private final PodAcquisition acquisition;
  private final RunFollower follower;
  private final RunRelease release;
  private final PodAdoption adoption;
  private final ExecutionEndings endings;
  private final Retirement retirement;
  private volatile boolean runDeleted;
  private volatile boolean podOccupied;
  private volatile boolean podFailed;

  RunExecution(ExecutionServices services, ExecutionRequest request, PodView podView) {
    this.services = services;
    this.request = request;
    this.podView = podView;
    this.state = new AtomicReference<>(ExecutionState.of(request.run()));
    this.status =
        new RunStatusWriter(
            services.statuses(),
            services.threads(),
            services.clock(),
            request.run(),
            new RunStatusWriter.Candidate(
                request.pod(), services.dispatchers().get(), request.snapshots()),
            services.written());
    this.output =
        new ReceivedOutput(
            request.run(),
            request.limits(),
            services.outputs(),
            services.wholes(),
            services.events(),
            status::outputStoreIsUnavailable);
    this.cancellation = new RunCancellation(services, request, state, output);
    this.acquisition = new PodAcquisition(services, request, state, status, podView);
    ReceivedArtifacts artifacts =
        new ReceivedArtifacts(services.artifacts(), request.limits().artifacts());
    this.follower = new RunFollower(services, request, state, status, output, artifacts);
    this.release = new RunRelease(services, request, podView, status, output, follower);
    this.adoption = new PodAdoption(services, request, status);
    this.endings = new ExecutionEndings(request, podView, state, output, artifacts);
    this.retirement = new Retirement(services.runners(), services.keys());
  }

  /** The Pod may have changed. */
  public void podChanged() {
    podView.podChanged();
  }

  /** Cancels the code, once; the result then has outcome Cancelled. */
  public void cancel() {
    cancellation.request();
  }

  /**
   * Executes the run until it ends.
   *
   * @return whether this ended the run; false if the run does not belong to this Pod, or gets
   *     another Pod
   */
  boolean run() throws InterruptedException {
    boolean ended = false;
    if (PodState.isWarm(request.pod()) && !RunState.isBound(request.run())) {
      services.answers().begin(request.runUid());
    }
    try {
      Optional<Ending> ending = execute();
      ended = ending.isPresent() && finish(ending.get());
      return ended;
    } finally {
      services.answers().end(request.runUid());
      follower.stopCalls();
      if (!ended
          && mayHaveNextPod()
          && !podOccupied
          && !status.bindMayBeWritten()
          && !release.hasDeletedPod()) {
        deleteUnusedPod();
      }
    }
  }

  /**
   * Deletes a warm Pod that the run was given and is not bound to: it may have the job of the run,
   * so that no other run can get it. If it does not answer, the pool deletes it later.
   */
  private void deleteUnusedPod() {
    try {
      // Another leader may have bound the run to it. Its start is refused, and it deletes the Pod.
      if (release.hasReleased()
          || (retirePod()
              && services.wholes().read(request.run()).filter(this::isBoundToPod).isEmpty())) {
        services.pods().delete(request.pod());
      }
    } catch (IOException | RunnerRefusedException | RuntimeException e) {
      // What ended the execution must not be hidden.
      LOG.warn("Warm Pod {} is left to its pool: {}", podName(), e.toString());
    }
  }

  /**
   * Has the Pod start nothing any more.
   *
   * @return false if it has the job of another run, or has started this one for another leader: it
   *     is left to that run
   */
  private boolean retirePod() throws IOException, RunnerRefusedException {
    if (podView.now().filter(PodState::isReachable).isEmpty()) {
      return true;
    }
    Hello hello = services.runners().hello(RunnerAddress.of(request.pod()));
    boolean hasAnother = hello.runUid() != null && !hello.runUid().equals(request.runUid());
    return hello.isRetired() || (!hasAnother && retirement.retire(request.pod(), hello));
  }

  private boolean isBoundToPod(AnalyticsRun run) {
    return RunState.isBoundTo(RunState.statusOf(run), request.podUid());
  }

  /** The UID of the Pod. */
  String podUid() {
    return request.podUid();
  }

  private String podName() {
    return request.pod().getMetadata().getName();
  }

  /**
   * Whether the run can be given the next Pod at once: its warm Pod failed before the bind, refused
   * the start, or has the job of another run.
   */
  boolean needsNextPod() {
    return podFailed || podOccupied;
  }

  /** Whether the run was deleted while it was executed. */
  boolean runDeleted() {
    return runDeleted;
  }

  /** Empty if the run belongs to another Pod or has ended already. */
  private Optional<Ending> execute() throws InterruptedException {
    Instant reachable = services.clock().instant();
    Instant giveUp = reachable.plus(request.maxRemaining());
    Instant noHello = mayHaveNextPod() ? reachable.plus(WARM_HELLO) : giveUp;
    RunnerSession session = new RunnerSession(services.runners(), podView, services.clock());
    try {
      return switch (acquisition.acquire(session, reachable, noHello)) {
        case PodAcquisition.Acquired acquired -> follow(session, acquired);
        case PodAcquisition.NotAcquired unused -> Optional.empty();
        case PodAcquisition.LeftToAnother unused -> {
          podOccupied = true;
          yield Optional.empty();
        }
        case PodAcquisition.GivenBack back -> {
          podOccupied = back.byAnotherRun();
          podFailed = !podOccupied;
          yield replaced(back.cause());
        }
        case PodAcquisition.Refused refused ->
            Optional.of(Ending.notStarted(refused.reason(), refused.message()));
        case PodAcquisition.Unusable unusable -> lost(endings.runnerLost(unusable.message()));
      };
    } catch (PodEndedException e) {
      if (mayHaveNextPod()) {
        podFailed = true;
        return replaced("it has ended");
      }
      // Before the bind, the reconciler handles the termination of the Pod.
      return status.isBound() ? Optional.of(endings.podEnded()) : Optional.empty();
    } catch (IOException e) {
      // The job did not reach the Pod, usually because the Pod is terminating.
      boolean reached = podView.now().filter(PodState::isReachable).isPresent();
      return lost(reached ? endings.notFollowed(e) : endings.podEnded());
    } catch (RunnerLostException | RunnerRefusedException e) {
      return lost(endings.notFollowed(e));
    }
  }

  /** Ends the run, unless it has yet to be bound to a warm Pod: then it gets the next one. */
  private Optional<Ending> lost(Ending ending) {
    if (!mayHaveNextPod()) {
      return Optional.of(ending);
    }
    podFailed = true;
    return replaced(ending.message());
  }

  private Optional<Ending> replaced(String cause) {
    LOG.info("Warm Pod {} of run {} is replaced: {}", podName(), request.name(), cause);
    return Optional.empty();
  }

  /** Whether the run was given a warm Pod that it is not bound to, so that no code can start. */
  private boolean mayHaveNextPod() {
    return PodState.isWarm(request.pod()) && !status.isBound();
  }

  private Optional<Ending> follow(RunnerSession session, PodAcquisition.Acquired acquired)
      throws PodEndedException, RunnerLostException, InterruptedException {
    if (!acquired.isNew() && !status.retake()) {
      return Optional.empty();
    }
    Binding binding = acquired.binding();
    if (state.updateAndGet(current -> current.bound(binding)).cancelled()) {
      cancellation.send(binding);
    }
    if (acquired.isNew()) {
      output.forgetEarlier();
    }
    adoption.begin();
    Instant giveUp = services.clock().instant().plus(request.maxRemaining());
    RunnerEvent.Result result;
    try {
      result = follower.follow(session, binding, acquired.start(), giveUp);
    } catch (RunnerRefusedException e) {
      if (!PodState.isWarm(request.pod())) {
        // Nobody has told it to.
        return Optional.of(endings.notFollowed(e));
      }
      podFailed = release.afterRefusal();
      return podFailed ? replaced(WarmAcquisition.REFUSES) : Optional.empty();
    }
    ExecutionState now = state.get();
    return !now.isStarted() && !now.cancelled() && release.afterFailedStart(result)
        ? Optional.empty()
        : Optional.of(endings.reported(result));
  }

  /** What the result follows from, which the class of the run is told of. */
  private RunOrigin origin(Ending ending) {
    // The cached Pod has no status of its worker yet, and one that was deleted has none any more.
    Pod pod = podView.now().orElse(request.pod());
    Optional<String> className = ClassChoice.settled(request.run(), Optional.of(pod));
    Optional<String> image = CreatedPod.workerImage(pod);
    RunOrigin origin = RunOrigin.of(pod);
    if (origin.imageID() != null && className.isPresent() && image.isPresent()) {
      services.images().seen(className.get(), image.get(), origin.imageID());
    }
    return ending.isCacheable()
        ? services
            .wholes()
            // What it reads was written with the binding, and does not change any more.
            .readAtLeast(status.latest())
            .map(run -> RunOrigin.cacheable(run, pod))
            .orElse(origin)
        : origin;
  }

  /** Returns whether the ending was written. */
  private boolean finish(Ending decided) {
    follower.stopCalls();
    Ending ending = decided.calling(follower.callCounts());
    RunStatusWriter.Finish finish = status.finish(ending, origin(ending), state.get().isReported());
    if (finish == RunStatusWriter.Finish.NOT_OURS) {
      return false;
    }
    follower.endCalls();
    runDeleted = finish == RunStatusWriter.Finish.GONE;
    if (runDeleted) {
      output.delete();
    } else {
      output.finishPartial();
      services.events().ended(request.run(), ending);
      services.answers().end(request.runUid());
    }
    boolean interrupted = !runDeleted && awaitOtherAnswers();
    boolean endsByItself =
        follower.acknowledge() || podView.now().filter(PodState::isTerminal).isPresent();
    if ((!endsByItself || runDeleted) && mayDeletePod()) {
      services.pods().delete(request.pod());
    }
    LOG.info("Run {} ended: {}", request.name(), ending.reason());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  /**
   * The end of a Pod takes the processor from those that answer. Not where others wait for its
   * room, nor where its code may still run.
   *
   * @return whether the operator is shutting down: the runner is acknowledged all the same
   */
  private boolean awaitOtherAnswers() {
    if (!state.get().isReported() || services.pods().queue().hasWaiting(request.namespace())) {
      return false;
    }
    try {
      services.answers().awaitOthers(request.runUid());
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  /**
   * Another leader may have given the warm Pod of a run that has ended before its start to another
   * run, or have started this one there.
   */
  private boolean mayDeletePod() {
    if (!PodState.isWarm(request.pod()) || state.get().mayHaveStarted()) {
      return true;
    }
    try {
      return retirePod();
    } catch (IOException | RunnerRefusedException e) {
      // It is deleted later, with the run or by its pool.
      return false;
    }
  }
}
