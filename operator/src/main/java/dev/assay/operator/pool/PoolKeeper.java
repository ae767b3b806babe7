package dev.assay.operator.pool;

import dev.assay.operator.pool.PoolPlanner.Target;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every pool as large as its calls need, and removes its Pods that have failed, are too old,
 * too many, or of an earlier template. Runs on the leader only, which takes over the idle Pods of
 * the one before.
 */
public final class PoolKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);

  /** Short, so that a Pod that was taken is replaced soon. A round reads caches only. */
  private static final Duration INTERVAL = Duration.ofMillis(250);

  private static final Duration MAX_ROUND = Duration.ofMinutes(1);

  private final Supplier<PoolView> caches;
  private final WarmPods warmPods;
  private final PoolSurvey survey;
  private final PoolUpkeep upkeep;
  private final ClassStatusWriter statuses;
  private final Clock clock;

  /** When a round ended last; null before the first, and where this process does not lead. */
  private volatile @Nullable Instant lastRound;

  private volatile List<PoolSize> sizes = List.of();
  private String problem = "";
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("pool-keeper").factory());

  /**
   * A keeper that is not started yet.
   *
   * @param caches what they show now
   * @param statuses of the classes
   */
  PoolKeeper(
      Supplier<PoolView> caches,
      WarmPods warmPods,
      PoolSurvey survey,
      PoolUpkeep upkeep,
      ClassStatusWriter statuses,
      Clock clock) {
    this.caches = caches;
    this.warmPods = warmPods;
    this.survey = survey;
    this.upkeep = upkeep;
    this.statuses = statuses;
    this.clock = clock;
  }

  /**
   * Starts to keep the pools; must be called on the leader only, and when the caches are complete:
   * before, each Pod would be missing.
   */
  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::reconcileSafely, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /**
   * The NetworkPolicies of a namespace were changed: its Pods are checked again before they run.
   */
  public void networkPoliciesChanged(String namespace) {
    int withheld = warmPods.networkPoliciesChanged(namespace);
    if (withheld > 0) {
      LOG.info(
          "The NetworkPolicies of {} were changed: {} idle Pods are tested before they get runs",
          namespace,
          withheld);
    }
  }

  /** One round of the timer: an Error would end it, and with it the pools, without a trace. */
  void reconcileSafely() {
    try {
      reconcile();
      problem = "";
    } catch (RuntimeException | Error e) {
      if (!e.toString().equals(problem)) {
        problem = e.toString();
        LOG.warn("The warm pools could not be kept and will be again", e);
      }
    }
    lastRound = clock.instant();
  }

  /**
   * A pool in the last round.
   *
   * @param worker what executes the code
   * @param wanted how many idle Pods it is to have
   */
  public record PoolSize(
      String namespace, String className, String worker, int idle, int starting, int wanted) {}

  /** The pools in the last round; none where this process does not lead. */
  public List<PoolSize> sizes() {
    return sizes;
  }

  /** What is wrong if a round does not end. */
  public Set<String> symptoms() {
    Instant last = lastRound;
    return last != null && clock.instant().isAfter(last.plus(MAX_ROUND))
        ? Set.of("the warm pools are not reconciled")
        : Set.of();
  }

  /** One round. */
  void reconcile() {
    PoolView view = caches.get();
    warmPods.retainOnly(PoolView.uids(view.warm()), PoolView.uids(view.members()));
    warmPods.queue().prune();
    warmPods.queue().wakeAll();
    PoolSurvey.Found found = survey.of(view);
    Map<PoolKey, Target> targets = upkeep.next(view, found.pools(), found.replaced());
    sizes =
        found.pools().stream()
            .map(pool -> pool.size(targets.getOrDefault(pool.key(), Target.NONE)))
            .toList();
    statuses.write(view.classes(), found.pools());
  }
}
