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
 * Checks whether this process makes progress. The checks run on a timer, so that a probe is
 * answered from memory; the process counts as stuck if they stop.
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

  private volatile Instant lastCheck;
  private volatile Instant lastBeat;
  private volatile Set<String> problems = Set.of();

  /**
   * Creates a monitor that is not started yet.
   *
   * @param reconciles the executor of reconciles, which also runs a heartbeat
   */
  public HealthMonitor(List<HealthCheck> checks, ApiProbe api, Executor reconciles, Clock clock) {
    this.api = api;
    this.reconciles = reconciles;
    this.clock = clock;
    checks.forEach(check -> this.checks.put(check, new SymptomHistory()));
    this.lastCheck = clock.instant();
    this.lastBeat = lastCheck;
  }

  /** Starts the checks. */
  public void start() {
    long interval = INTERVAL.toMillis();
    lastCheck = clock.instant();
    lastBeat = lastCheck;
    var unused = timer.scheduleWithFixedDelay(this::runQuietly, 0, interval, TimeUnit.MILLISECONDS);
    unused = timer.scheduleWithFixedDelay(api::probe, 0, interval, TimeUnit.MILLISECONDS);
  }

  /** Whether this process makes progress; if not, a restart fixes it. */
  public boolean isAlive() {
    return problems.isEmpty() && !isSilent(lastCheck, clock.instant());
  }

  private void runQuietly() {
    try {
      check();
    } catch (RuntimeException e) {
      LOG.warn("The health check of this process failed", e);
    }
  }

  synchronized void check() {
    Instant now = clock.instant();
    Set<String> found = new TreeSet<>(api.symptoms(now));
    boolean apiResponds = api.answers();
    checks.forEach(
        (check, history) -> {
          boolean counts = apiResponds || !check.needsApiServer();
          Set<String> present = counts ? check.symptoms().get() : Set.of();
          found.addAll(history.lasting(present, check.grace(), now));
        });
    if (isSilent(lastBeat, now)) {
      found.add("the reconcile threads do not run");
    }
    reconciles.execute(() -> lastBeat = clock.instant());
    if (!found.equals(problems)) {
      if (found.isEmpty()) {
        LOG.info("This process makes progress again");
      } else {
        LOG.warn("This process makes no progress; /healthz fails until it is restarted: {}", found);
      }
      problems = Set.copyOf(found);
    }
    lastCheck = now;
  }

  private static boolean isSilent(Instant last, Instant now) {
    return Duration.between(last, now).compareTo(MAX_SILENCE) > 0;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
