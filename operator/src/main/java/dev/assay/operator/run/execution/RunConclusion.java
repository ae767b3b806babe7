package dev.assay.operator.run.execution;

import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.machine.Effect;
import dev.assay.operator.run.machine.Event;
import dev.assay.operator.run.machine.State;
import dev.assay.operator.run.results.ReceivedOutput;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunOrigin;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the ending of a run, and does what follows from it. */
final class RunConclusion {
  private static final Logger LOG = LoggerFactory.getLogger(RunConclusion.class);
  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final PodView podView;
  private final RunStatusWriter status;
  private final ReceivedOutput output;
  private final RunFollower follower;
  private @Nullable Ending written;
  private boolean isInterrupted;

  RunConclusion(
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

  /** Writes the ending, unless the run is another's meanwhile. */
  Event end(Ending decided, State state) {
    follower.stopCalls();
    Ending ending = decided.calling(follower.callCounts());
    return switch (status.finish(ending, origin(ending), state.isReported())) {
      case NOT_OURS -> new Event.NotOurs(status.isBound());
      case GONE -> new Event.Ended(true);
      case ENDED -> {
        written = ending;
        yield new Event.Ended(false);
      }
    };
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

  /** Completes or deletes the output, and has the runner exit. */
  Event conclude(Effect.Conclude effect, State state) {
    follower.endCalls();
    if (effect.isDeleted()) {
      output.delete();
    } else {
      output.finishPartial();
    }
    Ending ending = written;
    if (ending != null) {
      services.events().ended(request.run(), ending);
      LOG.info("Run {} ended: {}", request.name(), ending.reason());
      services.answers().end(request.runUid());
      awaitOtherAnswers(state);
    }
    boolean endsByItself =
        follower.acknowledge() || podView.now().filter(PodState::isTerminal).isPresent();
    return new Event.Concluded(effect.isDeleted(), endsByItself);
  }

  /**
   * The end of a Pod takes the processor from those that answer. Not where others wait for its
   * room, nor where its code may still run.
   */
  private void awaitOtherAnswers(State state) {
    if (!state.isReported() || services.pods().queue().hasWaiting(request.namespace())) {
      return;
    }
    try {
      services.answers().awaitOthers(request.runUid());
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
  }

  /** The operator is shutting down: the runner was acknowledged all the same. */
  void restoreInterrupt() {
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
