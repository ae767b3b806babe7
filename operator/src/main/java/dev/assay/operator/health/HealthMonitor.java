package dev.assay.operator.health;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether this process makes progress. It looks by itself, so that a probe is answered
 * from memory, and fails if it cannot look any more.
 */
public final class HealthMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HealthMonitor.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration MAX_SILENCE = Duration.ofMinutes(1);

  private final ApiProbe api;
  private final Executor reconciles;
  private final Clock clock;
  private final Map<HealthCheck, SymptomHistory> checks = new LinkedHashMap<>();
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(2, Thread.ofPlatform().daemon().name("health-", 0).factory());

  private volatile Instant lastLook;
  private volatile Instant lastBeat;
  private volatile Set<String> problems = Set.of();

  /**
   * A monitor that does not look yet.
   *
   * @param reconciles runs the reconciles: a heartbeat takes the same way
   */
  public HealthMonitor(List<HealthCheck> checks, ApiProbe api, Executor reconciles, Clock clock) {
    this.api = api;
    this.reconciles = reconciles;
    this.clock = clock;
    checks.forEach(check -> this.checks.put(check, new SymptomHistory()));
    this.lastLook = clock.instant();
    this.lastBeat = lastLook;
  }

  /** Begins to look. */
  public void start() {
    long interval = INTERVAL.toMillis();
    lastLook = clock.instant();
    lastBeat = lastLook;
    var unused =
        timer.scheduleWithFixedDelay(this::lookQuietly, 0, interval, TimeUnit.MILLISECONDS);
    unused = timer.scheduleWithFixedDelay(api::look, 0, interval, TimeUnit.MILLISECONDS);
  }

  /** Whether this process makes progress; a restart mends it where it does not. */
  public boolean isAlive() {
    return problems.isEmpty() && !isSilent(lastLook, clock.instant());
  }

  private void lookQuietly() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.warn("The health of this process could not be found out", e);
    }
  }

  synchronized void look() {
    Instant now = clock.instant();
    Set<String> found = new TreeSet<>(api.symptoms(now));
    boolean apiAnswers = api.answers();
    checks.forEach(
        (check, history) -> {
          boolean counts = apiAnswers || !check.needsApiServer();
          Set<String> present = counts ? check.symptoms().get() : Set.of();
          found.addAll(history.lasting(present, check.grace(), now));
        });
    if (isSilent(lastBeat, now)) {
      found.add("the threads that reconcile do not run");
    }
    reconciles.execute(() -> lastBeat = clock.instant());
    if (!found.equals(problems)) {
      if (found.isEmpty()) {
        LOG.info("This process makes progress again");
      } else {
        LOG.warn("This process makes no progress and asks to be restarted: {}", found);
      }
      problems = Set.copyOf(found);
    }
    lastLook = now;
  }

  private static boolean isSilent(Instant last, Instant now) {
    return Duration.between(last, now).compareTo(MAX_SILENCE) > 0;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
