package dev.assay.operator.run.queue;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.SlotQueue;
import dev.assay.operator.kubernetes.SlotQueue.Slots;
import dev.assay.operator.kubernetes.SlotQueue.Use;
import dev.assay.operator.kubernetes.UnschedulablePods;
import dev.assay.operator.kubernetes.UnschedulablePods.CallersPod;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keeps the order of runs whose Pods wait for a node. The scheduler retries a Pod less often the
 * more often it has found no node for it, so that Pods requested later overtake it. Therefore, the
 * Pods of a caller's runs of a class are requested in batches: while the scheduler finds no node
 * for one, no other is requested. If no Pod of the class is placed for {@link #PAUSE}, a few more
 * are requested: there may be room that the waiting ones cannot use or are not retried for. After
 * {@link #MAX_PAUSE}, all are: an autoscaler adds nodes for the Pods that it sees.
 *
 * <p>The scheduler does not know callers. While a Pod of another caller of the namespace is
 * unschedulable, be it of another class or of a dataset, each caller may have only one Pod of a
 * class without a node, so callers get nodes in turn.
 */
public final class NodeSlots {
  /** How many Pods of a caller may wait for the scheduler at a time, however few are running. */
  static final int MIN_WAITING = 5;

  /** The time without a placement after which others are requested although some find no node. */
  static final Duration PAUSE = Duration.ofSeconds(3);

  /** The time without a placement after which all are requested, for an autoscaler to see them. */
  static final Duration MAX_PAUSE = Duration.ofSeconds(15);

  /** An older Pod may fit no node, and must not keep its caller's other runs waiting. */
  static final Duration COUNTS_FOR = PodState.FITS_WITHIN;

  /** How long a Pod counts without an answer of the scheduler, which takes milliseconds. */
  static final Duration COUNTS_UNANSWERED_FOR = Duration.ofSeconds(15);

  /** A run gets a status about its wait at this age. Most waits are shorter. */
  static final Duration NOTEWORTHY = Duration.ofSeconds(2);

  /** Times of the API server are in one format, whose order is that of the texts. */
  private static final Comparator<Pod> OLDEST_FIRST =
      Comparator.comparing((Pod pod) -> pod.getMetadata().getCreationTimestamp())
          .thenComparing(pod -> pod.getMetadata().getName());

  /** How often the runs behind the first check their turn if nothing wakes them. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final SlotQueue queue = new SlotQueue();

  /**
   * When a Pod of a class was last placed, its runs first looked here, or Pods of several callers
   * waited.
   */
  private final Map<Slots, Instant> placed = new ConcurrentHashMap<>();

  private final RunResources resources;
  private final UnschedulablePods unschedulable;
  private final Clock clock;

  /** A Pod and the run that owns it. */
  private record Owned(Pod pod, AnalyticsRun run) {
    Slots slots() {
      String className = pod.getMetadata().getLabels().get(Labels.RUN_CLASS);
      return new Slots(namespace(run), className == null ? "" : className, RunState.caller(run));
    }
  }

  /**
   * Slots of which none is taken.
   *
   * @param unschedulable to which this adds the Pods of runs
   */
  public NodeSlots(RunResources resources, UnschedulablePods unschedulable, Clock clock) {
    this.resources = resources;
    this.unschedulable = unschedulable;
    this.clock = clock;
    unschedulable.addSource(
        namespace ->
            unschedulable(namespace)
                .map(owned -> new CallersPod(owned.pod, RunState.caller(owned.run))));
    unschedulable.onFound(this::haveOthersYield);
  }

  /** Whether the run waits for other Pods to be placed. */
  boolean isWaiting(AnalyticsRun run) {
    return queue.isWaiting(uid(run));
  }

  /** Whether the run has just been created, so that its wait is not worth a status. */
  boolean isNew(AnalyticsRun run) {
    return RunState.created(run).plus(NOTEWORTHY).isAfter(clock.instant());
  }

  /** When a run that waits looks again, even if nobody wakes it. */
  Duration look(AnalyticsRun run) {
    return queue.isFirst(uid(run)) ? PAUSE : isNew(run) ? NOTEWORTHY : LOOK;
  }

  /**
   * Whether the run may request its Pod. If not, it is reconciled again when it may be its turn. If
   * so, it counts as one whose Pod waits for a node until {@link #leave}. A new leader needs to
   * restore nothing: what waited here is in the queue of the quota then, and comes from there.
   */
  boolean take(AnalyticsRun run, RunClass runClass) {
    Slots slots = new Slots(namespace(run), runClass.getMetadata().getName(), RunState.caller(run));
    return queue.take(slots, WaitingRun.of(run, resources), () -> use(slots));
  }

  /**
   * Whether the Pod of a run must be deleted, so that the run waits for its turn: no node was found
   * for it, nor for one of another caller, and its own caller has an older one of the class that
   * waits.
   */
  boolean yields(AnalyticsRun run) {
    return yielding(namespace(run)).stream().anyMatch(other -> uid(other).equals(uid(run)));
  }

  /**
   * Of each caller and class all but the oldest for which no node was found; none if no other
   * caller waits.
   */
  private List<AnalyticsRun> yielding(String namespace) {
    List<CallersPod> waiting = unschedulable.of(namespace);
    return unschedulable(namespace).collect(Collectors.groupingBy(Owned::slots)).entrySet().stream()
        .filter(entry -> isContended(entry.getKey(), waiting))
        .flatMap(entry -> allButOldest(entry.getValue()))
        .toList();
  }

  /** The Pods of runs of a namespace for which no node was found. */
  private Stream<Owned> unschedulable(String namespace) {
    return resources.pods().stream()
        .filter(PodState::isUnschedulable)
        .filter(pod -> pod.getMetadata().getNamespace().equals(namespace))
        .flatMap(pod -> resources.runOf(pod).map(run -> new Owned(pod, run)).stream());
  }

  private boolean isContended(Slots slots, List<CallersPod> waiting) {
    return unschedulable.hasOtherCallers(
        waiting, slots.className(), requireNonNull(slots.caller()));
  }

  private void haveOthersYield(String namespace) {
    yielding(namespace).forEach(resources::reconcileAgain);
  }

  private static Stream<AnalyticsRun> allButOldest(List<Owned> ofCaller) {
    return ofCaller.stream()
        .sorted(Comparator.comparing(Owned::pod, OLDEST_FIRST))
        .skip(1)
        .map(Owned::run);
  }

  private Use use(Slots slots) {
    Instant now = clock.instant();
    Collection<Pod> pods = resources.podsOfRuns(slots.namespace(), slots.className());
    List<Pod> own =
        pods.stream()
            .filter(pod -> PodState.isUnschedulable(pod) || PodState.awaitsScheduler(pod))
            .filter(pod -> isOfCaller(slots, pod))
            .toList();
    boolean contended = isContended(slots, unschedulable.of(slots.namespace()));
    if (contended) {
      // So that who comes and goes does not have all Pods requested and deleted each time.
      placed.put(Slots.ofClass(slots.namespace(), slots.className()), now);
    }
    List<Pod> waiting = contended ? own : own.stream().filter(pod -> counts(pod, now)).toList();
    return new Use(
        contended ? 1 : limit(slots, pods, waiting, now),
        waiting.stream()
            .map(pod -> pod.getMetadata().getLabels().get(Labels.RUN_UID))
            .collect(Collectors.toSet()));
  }

  private boolean isOfCaller(Slots slots, Pod pod) {
    return resources
        .runOf(pod)
        .filter(run -> RunState.caller(run).equals(slots.caller()))
        .isPresent();
  }

  /** Whether a Pod waits for a node. One that a scheduling gate holds back does not count. */
  private static boolean counts(Pod pod, Instant now) {
    Duration time = PodState.isUnschedulable(pod) ? COUNTS_FOR : COUNTS_UNANSWERED_FOR;
    return PodState.created(pod).plus(time).isAfter(now);
  }

  private int limit(Slots slots, Collection<Pod> pods, List<Pod> waiting, Instant now) {
    Instant lastPlaced =
        placed.computeIfAbsent(Slots.ofClass(slots.namespace(), slots.className()), unused -> now);
    Optional<Instant> unschedulable =
        waiting.stream()
            .flatMap(pod -> PodState.unschedulableSince(pod).stream())
            .min(Comparator.naturalOrder());
    if (unschedulable.isPresent()) {
      Instant since = unschedulable.get().isAfter(lastPlaced) ? unschedulable.get() : lastPlaced;
      return limitAfter(Duration.between(since, now));
    }
    long running =
        pods.stream().filter(pod -> PodState.hasNode(pod) && !PodState.isEnding(pod)).count();
    return Math.max(MIN_WAITING, (int) running / 4);
  }

  /**
   * The limit while some find no node.
   *
   * @param pause without a placement
   */
  private static int limitAfter(Duration pause) {
    if (pause.compareTo(PAUSE) < 0) {
      return 0;
    }
    return pause.compareTo(MAX_PAUSE) < 0 ? MIN_WAITING : Integer.MAX_VALUE;
  }

  /** The run has its Pod, or does not request one now: the next one may have its turn. */
  void leave(AnalyticsRun run) {
    queue.leave(uid(run));
  }

  /**
   * A Pod of a run has changed. One that has just got its node does not wait for one any more. One
   * that gets none may have others yield.
   */
  public void podChanged(Pod pod) {
    String className = pod.getMetadata().getLabels().get(Labels.RUN_CLASS);
    if (className == null) {
      return;
    }
    String namespace = pod.getMetadata().getNamespace();
    if (PodState.hasNode(pod) && !PodState.hasContainers(pod)) {
      placed.put(Slots.ofClass(namespace, className), clock.instant());
      queue.roomFreed(namespace);
    } else if (PodState.isUnschedulable(pod)) {
      haveOthersYield(namespace);
    }
  }

  /** A Pod of the namespace has ended or is being deleted: it may be one that waited for a node. */
  public void podEnded(String namespace) {
    queue.roomFreed(namespace);
  }

  private static String namespace(AnalyticsRun run) {
    return run.getMetadata().getNamespace();
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
