package dev.assay.operator.run.execution;

import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.Effect;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.run.machine.Event;
import dev.assay.operator.run.machine.RunMachine;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.results.ReceivedArtifacts;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes one run in a Pod: performs the effects that {@link RunMachine} decides on, one after the
 * other, until the run has ended or leaves the Pod. Blocks its thread.
 */
public final class RunExecution {
  private static final Logger LOG = LoggerFactory.getLogger(RunExecution.class);

  /** How long a warm Pod, which has answered before, may take to answer again. */
  private static final Duration WARM_HELLO = Duration.ofSeconds(1);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final AtomicReference<State> state;
  private final RunMachine machine;
  private final PodView podView;
  private final RunnerSession session;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final RunCancellation cancellation;
  private final PodAcquisition acquisition;
  private final PodBinding binding;
  private final PodAdoption adoption;
  private final RunFollower follower;
  private final FailedStarts failedStarts;
  private final ExecutionEndings endings;
  private final RunConclusion conclusion;
  private final PodRemoval removal;

  RunExecution(ExecutionServices services, ExecutionRequest request, PodView podView) {
    this.services = services;
    this.request = request;
    this.state = new AtomicReference<>(State.begin(RunState.isBound(request.run())));
    this.machine = new RunMachine(PodState.isWarm(request.pod()));
    this.podView = podView;
    this.session = new RunnerSession(services.runners(), podView, services.clock());
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
    ReceivedArtifacts artifacts =
        new ReceivedArtifacts(services.artifacts(), request.limits().artifacts());
    this.cancellation = new RunCancellation(services, request, state, output);
    JobStaging staging = new JobStaging(services, request);
    this.acquisition = new PodAcquisition(services, request, staging, state, podView);
    this.binding = new PodBinding(services, request, staging, status);
    this.adoption = new PodAdoption(services, request, status);
    this.follower = new RunFollower(services, request, state, status, output, artifacts);
    this.failedStarts = new FailedStarts(services, request, podView, output, follower);
    this.endings = new ExecutionEndings(request, podView, state, output, artifacts);
    this.conclusion = new RunConclusion(services, request, podView, status, output, follower);
    this.removal = new PodRemoval(services, request, podView);
  }

  /** The Pod may have changed. */
  public void podChanged() {
    podView.podChanged();
  }

  /** Cancels the code, once; the result then has outcome Cancelled. */
  public void cancel() {
    cancellation.request();
  }

  /** The UID of the Pod. */
  String podUid() {
    return request.podUid();
  }

  /** Executes the run until it ends, or leaves the Pod. */
  Outcome run() throws InterruptedException {
    if (machine.isWarm() && !RunState.isBound(request.run())) {
      services.answers().begin(request.runUid());
    }
    Instant reachable = services.clock().instant();
    try {
      Effect effect = machine.begin(request.idleHello());
      while (!(effect instanceof Effect.Stop)) {
        effect = advance(perform(effect, reachable));
      }
      return stop((Effect.Stop) effect);
    } catch (InterruptedException | RuntimeException | Error e) {
      // What ended the execution must not be hidden.
      boolean mayBeBound = status.bindMayBeWritten() || status.isBound();
      var unused = stop((Effect.Stop) advance(new Event.Failed(mayBeBound)));
      throw e;
    }
  }

  private Effect advance(Event event) {
    State before = state.get();
    RunMachine.Transition next = machine.next(before, event);
    // The reconciler may cancel meanwhile.
    State after = state.updateAndGet(current -> current.at(next.step()));
    if (after.cancelled() && before.binding().isEmpty()) {
      after.binding().ifPresent(cancellation::send);
    }
    return next.effect();
  }

  private Event perform(Effect effect, Instant reachable) throws InterruptedException {
    try {
      return switch (effect) {
        case Effect.Greet _ -> acquisition.greet(session, reachable.plus(request.maxRemaining()));
        case Effect.AwaitClosedNetwork await -> acquisition.awaitClosedNetwork(await.target());
        case Effect.ReadSnapshots read -> acquisition.readSnapshots(read.target());
        case Effect.Deliver deliver -> acquisition.deliver(deliver.target());
        case Effect.Refuse refuse -> acquisition.refuse(refuse.target(), refuse.cause());
        case Effect.Bind bind -> binding.bind(session, bind.target(), bind.inputs(), reachable);
        case Effect.BindWarm bind ->
            binding.bindWarm(session, bind.idle(), reachable, reachable.plus(WARM_HELLO));
        case Effect.TakeOver taking -> binding.takeOver(taking.target(), taking.start());
        case Effect.Unbind unbind -> binding.unbind(unbind);
        case Effect.Follow follow -> follow(follow);
        case Effect.FindCause _ -> failedStarts.findCause(result());
        case Effect.ForgetStart forget -> failedStarts.forget(forget);
        case Effect.End end -> conclusion.end(ending(end.cause()), state.get());
        case Effect.Conclude conclude -> conclusion.conclude(conclude, state.get());
        case Effect.Stop _ -> throw new IllegalStateException("The execution has ended");
      };
    } catch (PodEndedException e) {
      return new Event.PodEnded();
    } catch (RunnerLostException | RunnerRefusedException e) {
      return new Event.RunnerLost(RunMachine.notFollowed(String.valueOf(e.getMessage())));
    }
  }

  private Event follow(Effect.Follow follow)
      throws PodEndedException, RunnerLostException, InterruptedException {
    if (follow.isNew()) {
      output.forgetEarlier();
    }
    adoption.begin();
    Instant giveUp = services.clock().instant().plus(request.maxRemaining());
    try {
      follower.follow(session, follow.target().binding(), follow.start(), giveUp);
      return new Event.ResultReported();
    } catch (RunnerRefusedException e) {
      return new Event.StartRefused(String.valueOf(e.getMessage()));
    }
  }

  private Ending ending(Effect.Cause cause) throws InterruptedException {
    return switch (cause) {
      case Effect.NoResult none -> endings.noResult(none.reason(), none.message());
      case Effect.PodEnded _ -> endings.podEnded();
      case Effect.Result _ -> endings.reported(result());
    };
  }

  private RunnerEvent.Result result() {
    return ((State.Reported) state.get().step()).result();
  }

  private Outcome stop(Effect.Stop stop) {
    // First, since others wait for it.
    services.answers().end(request.runUid());
    follower.stopCalls();
    String pod = request.pod().getMetadata().getName();
    if (stop.cause() != null) {
      LOG.info("Warm Pod {} of run {} is replaced: {}", pod, request.name(), stop.cause());
    }
    try {
      removal.remove(stop.removal());
    } catch (IOException | RunnerRefusedException | RuntimeException e) {
      // It is deleted later, with the run or by its pool.
      LOG.warn("Pod {} is not deleted yet: {}", pod, e.toString());
    }
    conclusion.restoreInterrupt();
    return stop.outcome();
  }
}
