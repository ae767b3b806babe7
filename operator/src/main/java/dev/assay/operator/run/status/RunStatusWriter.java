package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes the states of one run in one Pod: bound, started, finished. The writes are serialized,
 * each based on the one before, so that they neither conflict nor overtake each other.
 */
public final class RunStatusWriter {
  /** What ends sooner is a short run. */
  public static final Duration SHORT_RUN = Duration.ofSeconds(2);

  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final ExecutorService threads;
  private final Clock clock;
  private final Pod pod;
  private final String dispatcher;
  private final List<PinnedSnapshot> snapshots;
  private final BiConsumer<AnalyticsRun, AnalyticsRun> unbound;
  private final ReentrantLock writing = new ReentrantLock();
  private AnalyticsRun latest;

  /** The execution that may have started the run, as far as this one knows. */
  private volatile @Nullable String knownDispatcher;

  private volatile boolean bindMayBeWritten;
  private volatile @Nullable Instant started;
  private volatile @Nullable String storeOutage;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch endWritten = new CountDownLatch(1);

  /**
   * What a run is to be bound to.
   *
   * @param dispatcher id of this execution, which no other has, of whichever process
   * @param snapshots those that the run reads in the Pod
   */
  public record Candidate(Pod pod, String dispatcher, List<PinnedSnapshot> snapshots) {}

  /**
   * Writes nothing yet.
   *
   * @param unbound is told of the run before and after a write that takes it from the Pod
   */
  public RunStatusWriter(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      ExecutorService threads,
      Clock clock,
      AnalyticsRun run,
      Candidate candidate,
      BiConsumer<AnalyticsRun, AnalyticsRun> unbound) {
    this.statuses = statuses;
    this.threads = threads;
    this.clock = clock;
    this.latest = run;
    this.knownDispatcher = RunState.dispatcherOf(run);
    this.pod = candidate.pod();
    this.dispatcher = candidate.dispatcher();
    this.snapshots = candidate.snapshots();
    this.unbound = unbound;
  }

  /** Whether the run is bound to the Pod, as far as is known. */
  public boolean isBound() {
    return RunState.isBoundTo(RunState.statusOf(latest), podUid());
  }

  /** The run as it was written or read last; a copy without its texts. */
  public AnalyticsRun latest() {
    return latest;
  }

  /** The result of binding the run. */
  public enum Bind {
    /** This binding is new: before, the run was bound to no Pod. */
    BOUND,
    /** The run was bound to this runner process already, possibly by another operator process. */
    ALREADY_BOUND,
    /** The run is bound to something else, or has ended. */
    NOT_BOUND
  }

  /**
   * Binds the run to the Pod, permanently.
   *
   * @param nonce of the runner process
   * @param queued when the operator saw the run first
   * @param inputs the artifacts of earlier runs that its Pod has received
   * @param reachable when the Pod became reachable
   */
  public Bind bind(String nonce, List<PinnedInput> inputs, Instant queued, Instant reachable) {
    if (isBound()) {
      return Bind.ALREADY_BOUND;
    }
    BoundPod bound =
        BoundPodBuilder.builder()
            .name(pod.getMetadata().getName())
            .uid(podUid())
            .warm(PodState.isWarm(pod))
            .nonce(nonce)
            .dispatcher(dispatcher)
            .build();
    AtomicBoolean changed = new AtomicBoolean();
    return writeBind(
            run -> {
              Optional<AnalyticsRunStatus> next =
                  RunTransitions.bound(
                          run,
                          bound,
                          new RunTransitions.Pinned(snapshots, inputs),
                          queued,
                          pod.getMetadata().getCreationTimestamp(),
                          reachable,
                          clock.instant())
                      .map(
                          status ->
                              status.withClassName(
                                  ClassChoice.settled(run, Optional.of(pod)).orElse(null)));
              changed.set(next.isPresent());
              return next;
            })
        .map(RunState::statusOf)
        .filter(status -> isSameRunner(bound, status.pod()))
        .filter(status -> status.phase() != null && !status.phase().isFinal())
        .map(status -> changed.get() ? isTaken(Bind.BOUND) : Bind.ALREADY_BOUND)
        .orElse(Bind.NOT_BOUND);
  }

  private Optional<AnalyticsRun> writeBind(
      Function<AnalyticsRun, Optional<AnalyticsRunStatus>> change) {
    try {
      return write(change);
    } catch (KubernetesClientException e) {
      bindMayBeWritten = !ApiErrors.refused(e);
      throw e;
    }
  }

  /**
   * Whether the bind has failed without an answer: the API server may have written it, or may yet,
   * whatever the run is now.
   */
  public boolean bindMayBeWritten() {
    return bindMayBeWritten;
  }

  private <T> T isTaken(T result) {
    knownDispatcher = dispatcher;
    return result;
  }

  private static boolean isSameRunner(BoundPod bound, @Nullable BoundPod other) {
    return other != null && bound.withDispatcher(null).equals(other.withDispatcher(null));
  }

  /** Whether the run is pinned to the snapshots that it would read in the Pod. */
  public boolean hasItsSnapshots() {
    return hasItsSnapshots(latest);
  }

  private boolean hasItsSnapshots(AnalyticsRun run) {
    return RunState.statusOf(run).snapshotList().equals(snapshots);
  }

  /**
   * Takes over a run that was bound before, so that the execution that has bound it cannot give it
   * back any more. This takes a write also where that was one of this process: its request to give
   * the run back may have been handled, or still be under way, without an answer. A run that was
   * bound again since, to another runner or with other snapshots than it would read in the warm
   * Pod, is not taken.
   *
   * @return whether this execution may start the code
   */
  public boolean retake() {
    AnalyticsRun decidedOn = latest;
    return write(
            run ->
                mayRetake(run, decidedOn)
                    ? RunTransitions.retaken(run, podUid(), dispatcher)
                    : Optional.empty())
        .filter(run -> !RunState.isFinal(run))
        .filter(run -> mayRetake(run, decidedOn))
        .map(run -> RunState.statusOf(run).pod())
        .filter(bound -> bound.uid().equals(podUid()) && dispatcher.equals(bound.dispatcher()))
        .map(this::isTaken)
        .isPresent();
  }

  private boolean mayRetake(AnalyticsRun run, AnalyticsRun decidedOn) {
    return RunState.isAsBound(run, decidedOn) && (!PodState.isWarm(pod) || hasItsSnapshots(run));
  }

  /** Gives back a run that this execution has bound to the Pod, and has not started. */
  public Release giveBack(String message) {
    return unbind(run -> RunTransitions.givenBack(run, podUid(), dispatcher, message));
  }

  private Release unbind(Function<AnalyticsRun, Optional<AnalyticsRunStatus>> change) {
    AnalyticsRun before = latest;
    AtomicBoolean changed = new AtomicBoolean();
    Optional<AnalyticsRun> after =
        write(
                run -> {
                  Optional<AnalyticsRunStatus> next = change.apply(run);
                  changed.set(next.isPresent());
                  return next;
                })
            .filter(run -> !RunState.isFinal(run))
            .filter(run -> !RunState.isBound(run));
    after.ifPresent(run -> unbound.accept(before, run));
    return after
        .map(run -> changed.get() ? Release.RELEASED : Release.ALREADY_RELEASED)
        .orElse(Release.NOT_RELEASED);
  }

  /**
   * Reports the start on a separate thread, so that reading output does not wait for the API
   * server. The start of code that ends at once is reported with its ending.
   *
   * @param event records the start as an Event; is called only for a start of its own
   */
  public void started(Runnable event) {
    Instant now = clock.instant();
    started = now;
    threads.execute(
        () -> {
          if (!happensWithin(SHORT_RUN, ended)) {
            event.run();
            write(run -> RunTransitions.started(run, podUid(), now));
          }
        });
  }

  /**
   * Blocks until the ending of the run is written, but no longer than this.
   *
   * @return whether it is written
   */
  public boolean endsWithin(Duration time) {
    return happensWithin(time, endWritten);
  }

  private static boolean happensWithin(Duration time, CountDownLatch event) {
    try {
      return event.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Reports on a separate thread that output cannot be stored.
   *
   * @param message the problem and what to do; null if output is stored again
   */
  public void outputStoreIsUnavailable(@Nullable String message) {
    storeOutage = message;
    threads.execute(
        () -> {
          Instant begun = started;
          if (begun != null) {
            write(run -> RunTransitions.started(run, podUid(), begun));
          }
          // The state at the time of the write: an outage may end before it is reported.
          String outage = storeOutage;
          write(
              run ->
                  outage == null
                      ? StoreOutageTransitions.ended(run)
                      : StoreOutageTransitions.begun(run, outage, clock.instant()));
        });
  }

  /** The result of releasing the run. */
  public enum Release {
    /** This process has released it. */
    RELEASED,
    /** Another operator process had released it, and may be about to bind it to its next Pod. */
    ALREADY_RELEASED,
    /** It has ended, or is bound to another Pod. */
    NOT_RELEASED
  }

  /** Releases the run from the Pod, so that it can be bound to another one. */
  public Release release(String message) {
    ended.countDown();
    endWritten.countDown();
    return unbind(run -> RunTransitions.released(run, podUid(), message));
  }

  /** The result of writing an ending. */
  public enum Finish {
    /** The run has ended. */
    ENDED,
    /** The run was deleted. */
    GONE,
    /** Another replica has bound the run or taken it over since, so the ending does not apply. */
    NOT_OURS
  }

  /**
   * Ends the run, unless another replica has bound it since the ending was decided. One that has
   * taken it over meanwhile may be running it, which this one may not see: then only what the
   * runner has reported ends the run.
   *
   * @param origin what its result follows from
   * @param isReported whether the runner has reported the ending
   */
  public Finish finish(Ending ending, RunOrigin origin, boolean isReported) {
    ended.countDown();
    Instant now = clock.instant();
    AnalyticsRun decidedOn = latest;
    try {
      return write(
              run ->
                  isNotOfAnother(run)
                          && RunState.isAsBound(run, decidedOn)
                          && (isReported || isNotTakenOver(run))
                      ? RunTransitions.finished(run, ending, started, now).map(origin::addTo)
                      : Optional.empty())
          .map(run -> RunState.isFinal(run) ? Finish.ENDED : Finish.NOT_OURS)
          .orElse(Finish.GONE);
    } finally {
      endWritten.countDown();
    }
  }

  private boolean isNotTakenOver(AnalyticsRun run) {
    return Objects.equals(RunState.dispatcherOf(run), knownDispatcher);
  }

  private boolean isNotOfAnother(AnalyticsRun run) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    return status.pod() == null || RunState.isBoundTo(status, podUid());
  }

  private Optional<AnalyticsRun> write(
      Function<AnalyticsRun, Optional<AnalyticsRunStatus>> change) {
    writing.lock();
    try {
      Optional<AnalyticsRun> written = statuses.update(latest, change);
      written.ifPresent(run -> latest = run);
      return written;
    } finally {
      writing.unlock();
    }
  }

  private String podUid() {
    return pod.getMetadata().getUid();
  }
}
