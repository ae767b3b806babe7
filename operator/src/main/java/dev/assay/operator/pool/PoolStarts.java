package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the starts of the Pods of each pool have gone, and what follows from that: when, and how
 * many, may start.
 */
final class PoolStarts {
  /** After this time, a Pod that never became idle has failed. */
  static final Duration MAX_START = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(PoolStarts.class);
  private static final Duration AFTER_REJECTION = Duration.ofSeconds(10);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LAST_PAUSE = Duration.ofMinutes(2);
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  /** After this time, a Pod that never appeared was most likely not created, or deleted at once. */
  private static final Duration MAX_UNLISTED = Duration.ofSeconds(60);

  private final Clock clock;
  private final Map<PoolKey, Starts> pools = new HashMap<>();

  /** By the name of the Pod. */
  private final Map<String, Creation> creations = new HashMap<>();

  private record Creation(String hash, Instant at, boolean isListed) {}

  /** Those of one pool. */
  private static final class Starts {
    private final PoolBackoff rejections =
        new PoolBackoff(AFTER_REJECTION, AFTER_REJECTION, FORGOTTEN);
    private final PoolBackoff failures = new PoolBackoff(FIRST_PAUSE, LAST_PAUSE, FORGOTTEN);

    /** Of withheld Pods. The next may come to a node that enforces the policy, or to the same. */
    private final PoolBackoff replacements =
        new PoolBackoff(PoolCensus.WITHHELD, PoolTemplate.IDLE_LIFE, PoolTemplate.IDLE_LIFE);

    private StartTime time = StartTime.UNKNOWN;
    private StartLimit limit = StartLimit.NEW;

    /** Why the pool pauses, as it was logged. */
    private String cause = "";

    /**
     * The hash of the template whose runners cannot refuse: a run could not leave their Pods
     * safely, and so is given none.
     */
    private String tooOld = "";
  }

  PoolStarts(Clock clock) {
    this.clock = clock;
  }

  private Starts of(PoolKey pool) {
    return pools.computeIfAbsent(pool, unused -> new Starts());
  }

  /**
   * A Pod of a pool is about to be created: a request without an answer may have created it. It
   * counts until the cache lists it, or the pool would create another in each round until then.
   *
   * @param hash of its template
   */
  synchronized void created(String podName, String hash) {
    Instant now = clock.instant();
    creations.values().removeIf(creation -> creation.at().isBefore(now.minus(MAX_START)));
    creations.put(podName, new Creation(hash, now, false));
  }

  /** It was not. */
  synchronized void notCreated(String podName) {
    creations.remove(podName);
  }

  /** These Pods are cached by now. */
  synchronized void listed(Collection<Pod> pods) {
    for (Pod pod : pods) {
      creations.computeIfPresent(
          pod.getMetadata().getName(),
          (name, creation) -> new Creation(creation.hash(), creation.at(), true));
    }
  }

  /** How many Pods of a template were created, or may have been, and are not cached yet. */
  synchronized int unlisted(String hash) {
    Instant oldest = clock.instant().minus(MAX_UNLISTED);
    return Math.toIntExact(
        creations.values().stream()
            .filter(creation -> !creation.isListed() && creation.hash().equals(hash))
            .filter(creation -> creation.at().isAfter(oldest))
            .count());
  }

  /**
   * A Pod has become idle: the next failure is a first one. A Pod that another leader has created
   * tells nothing of its start.
   */
  synchronized void succeeded(PoolKey pool, String podName) {
    Starts starts = of(pool);
    starts.failures.succeeded();
    starts.cause = "";
    Creation creation = creations.remove(podName);
    if (creation != null) {
      Instant now = clock.instant();
      Duration took = Duration.between(creation.at(), now);
      starts.time = starts.time.with(took);
      starts.limit = starts.limit.with(took, now);
    }
  }

  /** How long a Pod takes from its creation until it is idle. */
  synchronized Duration time(PoolKey pool) {
    return of(pool).time.estimate();
  }

  /** How many Pods of a pool may start at once. */
  synchronized int limit(PoolKey pool) {
    return of(pool).limit.count();
  }

  /** A pool wants more Pods than may start at once. */
  synchronized void limitIsReached(PoolKey pool) {
    of(pool).limit = of(pool).limit.isReached(clock.instant());
  }

  /** A Pod of the pool could not be created. */
  synchronized void rejected(PoolKey pool, String cause) {
    log(pool, of(pool).rejections.begin(clock.instant()), cause);
  }

  /** A Pod failed before it was given to a run. Several that fail together count as one. */
  synchronized void failed(PoolKey pool, String cause) {
    PoolBackoff failures = of(pool).failures;
    if (!failures.isPaused(clock.instant())) {
      log(pool, failures.begin(clock.instant()), cause);
    }
  }

  /** A cause that stays the same is logged once. */
  private void log(PoolKey pool, Duration length, String cause) {
    if (!cause.equals(of(pool).cause)) {
      of(pool).cause = cause;
      LOG.info(
          "No Pod is started for the warm pool of class {} in {} for {} s: {}",
          pool.className(),
          pool.namespace(),
          length.toSeconds(),
          cause);
    }
  }

  /** The runner of a Pod of this template cannot refuse. */
  synchronized void cannotRefuse(PoolKey pool, String hash) {
    if (areOfUse(pool, hash)) {
      of(pool).tooOld = hash;
      LOG.warn(
          "Class {} has no warm Pods: its image is from before 0.3. Use the image of this release",
          pool.className());
    }
  }

  /** Whether Pods of this template are of use to a pool, as far as is known. */
  synchronized boolean areOfUse(PoolKey pool, String hash) {
    return !hash.equals(of(pool).tooOld);
  }

  /** Whether Pods of this template may start now. */
  synchronized boolean mayStart(PoolKey pool, String hash) {
    Instant now = clock.instant();
    return areOfUse(pool, hash)
        && !of(pool).rejections.isPaused(now)
        && !of(pool).failures.isPaused(now);
  }

  /** Whether another Pod may be tried now in the place of one that is withheld; it is, then. */
  synchronized boolean tryReplacement(PoolKey pool) {
    PoolBackoff replacements = of(pool).replacements;
    boolean isFree = !replacements.isPaused(clock.instant());
    if (isFree) {
      var unused = replacements.begin(clock.instant());
    }
    return isFree;
  }

  /** Forgets pools. */
  synchronized void forget(Predicate<PoolKey> isGone) {
    pools.keySet().removeIf(isGone);
  }
}
