package dev.assay.operator.pool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The answers of short runs in warm Pods. What these do not need waits for them, for a limited time
 * each: the start of further Pods, and what follows the end of a run. It would take the processor
 * from the runs, the control plane and the front end. The more runs there are at once, the longer
 * their answers take.
 */
public final class AwaitedAnswers {
  /** After its end is written, a run's caller has most likely been answered in this time. */
  static final Duration UNTIL_ANSWERED = Duration.ofMillis(300);

  /** How long to wait for one run: those that come without a gap must not keep the pools empty. */
  static final Duration LIMIT = Duration.ofMillis(500);

  /** For each further one. */
  static final Duration LIMIT_EACH = Duration.ofMillis(250);

  /** For all of them. */
  public static final Duration MAX_LIMIT = Duration.ofSeconds(5);

  private final Clock clock;
  private final Duration shortRun;
  private final Waiting waiting;

  /** By the UID of the run. */
  private final Map<String, Answer> answers = new HashMap<>();

  /** The most that were awaited at once lately. */
  private int most;

  private Instant mostSince = Instant.MIN;

  /** Since when refills of pools are held up; null if they are not. */
  private @Nullable Instant heldUpSince;

  private record Answer(Instant begun, @Nullable Instant ended) {
    /** When it is not waited for any more. */
    Instant until(Duration limit, Duration shortRun) {
      return ended == null
          ? begun.plus(limit.compareTo(shortRun) > 0 ? limit : shortRun)
          : ended.plus(UNTIL_ANSWERED);
    }
  }

  /** How a thread waits. */
  @FunctionalInterface
  public interface Waiting {
    /** Blocks until this is notified, but no longer than this. */
    void await(Object changed, Duration time) throws InterruptedException;
  }

  /**
   * No answer is awaited yet.
   *
   * @param shortRun how long a run is waited for that does not end
   */
  @SuppressWarnings("WaitNotInLoop") // It is called in one.
  public AwaitedAnswers(Clock clock, Duration shortRun) {
    this(clock, shortRun, (changed, time) -> changed.wait(time.toMillis() + 1));
  }

  /** The same for tests. */
  public AwaitedAnswers(Clock clock, Duration shortRun, Waiting waiting) {
    this.clock = clock;
    this.shortRun = shortRun;
    this.waiting = waiting;
  }

  /** A run was given a warm Pod. */
  public synchronized void begin(String runUid) {
    Instant now = clock.instant();
    forgetAnswered(now);
    answers.put(runUid, new Answer(now, null));
    if (answers.size() >= most) {
      most = answers.size();
      mostSince = now;
    }
  }

  /** The end of a run is written, or the run has no Pod any more. May be called more than once. */
  public synchronized void end(String runUid) {
    answers.computeIfPresent(
        runUid,
        (uid, answer) ->
            answer.ended() == null ? new Answer(answer.begun(), clock.instant()) : answer);
    notifyAll();
  }

  /** Blocks until no answer is awaited, but not for long. */
  public void await() throws InterruptedException {
    await(any -> true);
  }

  /** The same, but for the answer of a run. */
  public void awaitOthers(String runUid) throws InterruptedException {
    await(other -> !other.equals(runUid));
  }

  private synchronized void await(Predicate<String> counts) throws InterruptedException {
    Instant since = clock.instant();
    for (Duration left = left(since, counts); left.isPositive(); left = left(since, counts)) {
      waiting.await(this, left);
    }
  }

  /** Whether any is. */
  synchronized boolean areAwaited() {
    forgetAnswered(clock.instant());
    return !answers.isEmpty();
  }

  /** Whether no Pod of a pool is to be started now, as is asked again and again. */
  synchronized boolean holdUpRefills() {
    if (!areAwaited()) {
      heldUpSince = null;
      return false;
    }
    heldUpSince = heldUpSince == null ? clock.instant() : heldUpSince;
    return left(heldUpSince, any -> true).isPositive();
  }

  private Duration left(Instant since, Predicate<String> counts) {
    Instant now = clock.instant();
    forgetAnswered(now);
    Duration limit = limit();
    Instant last =
        answers.entrySet().stream()
            .filter(entry -> counts.test(entry.getKey()))
            .map(entry -> entry.getValue().until(limit, shortRun))
            .max(Comparator.naturalOrder())
            .orElse(now);
    Instant longest = since.plus(limit);
    return Duration.between(now, last.isBefore(longest) ? last : longest);
  }

  private void forgetAnswered(Instant now) {
    Duration limit = limit();
    answers.values().removeIf(answer -> !now.isBefore(answer.until(limit, shortRun)));
    if (answers.isEmpty() || !now.isBefore(mostSince.plus(MAX_LIMIT))) {
      // Or a burst of long ago would make all later ones wait as long.
      most = answers.size();
      mostSince = now;
    }
  }

  private Duration limit() {
    Duration limit = LIMIT.plus(LIMIT_EACH.multipliedBy(Math.max(0, most - 1)));
    return limit.compareTo(MAX_LIMIT) < 0 ? limit : MAX_LIMIT;
  }
}
