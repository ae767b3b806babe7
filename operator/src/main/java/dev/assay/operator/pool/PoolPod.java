package dev.assay.operator.pool;

import dev.assay.operator.egress.ClosedRounds;
import dev.assay.operator.egress.EgressCheck.Verdict;
import dev.assay.operator.runner.Hello;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one Pod of a pool, and what it becomes: pure. A Pod that was given a job is used
 * up, and one that retires is given none: neither waits for a run ever again.
 */
sealed interface PoolPod {
  /** A check of it has begun. */
  default PoolPod asked(Instant now) {
    return this;
  }

  /** It has not answered as one that waits for a run. */
  default PoolPod missed() {
    return this;
  }

  /** It is ready, and its network was tested: it is withheld until that is known to be closed. */
  default PoolPod tested(Test test, Instant now) {
    return this;
  }

  /** It has to be checked again before it waits for a run. */
  default PoolPod dropped() {
    return this;
  }

  /** It is given to a run, or says that it has one. */
  default PoolPod claimed() {
    return Claimed.NOW;
  }

  /** It is to be deleted, unless a run may have it. */
  default PoolPod retiring() {
    return Retiring.NOW;
  }

  /** A run has it, as caches or the executions of this process show. */
  default PoolPod withRun() {
    return dropped();
  }

  /** If it is to be deleted once no run can have it: not before this time. */
  default PoolPod withoutRun(Instant graceEnd) {
    return this;
  }

  /** If it is to be deleted: an attempt is made, and this is when the next is. */
  default PoolPod attempted(Instant next) {
    return this;
  }

  /** If it has a job but no run: it has started the job, and this is when it is deleted. */
  default PoolPod foundStarted(Instant deletion) {
    return this;
  }

  /** Whether an attempt to delete it is due. */
  default boolean isDeletedAt(Instant now) {
    return false;
  }

  /**
   * A test of a Pod that is ready.
   *
   * @param hello what its runner has answered
   * @param verdict what was found of its network
   * @param began when the test did
   */
  record Test(WarmPod pod, Hello hello, Verdict verdict, Instant began) {}

  /**
   * It may wait for a run once it has passed a check.
   *
   * @param startsSince when this process saw it first; null once it has waited for a run
   * @param lastAsked when it was asked last
   * @param misses how many checks in a row it has failed since it has waited for a run
   * @param withheldSince since when it has been ready with a network that is not known to be
   *     closed; null if it is not
   * @param rounds what the tests of its network have found
   */
  record Checking(
      @Nullable Instant startsSince,
      Instant lastAsked,
      int misses,
      @Nullable Instant withheldSince,
      ClosedRounds rounds)
      implements PoolPod {
    static Checking first(Instant now) {
      return new Checking(now, Instant.MIN, 0, null, ClosedRounds.NONE);
    }

    @Override
    public Checking asked(Instant now) {
      return new Checking(startsSince, now, misses, withheldSince, rounds);
    }

    @Override
    public Checking missed() {
      return new Checking(
          startsSince, lastAsked, startsSince == null ? misses + 1 : 0, null, rounds);
    }

    @Override
    public PoolPod tested(Test test, Instant now) {
      ClosedRounds all = rounds.with(test.verdict());
      Instant since = withheldSince == null ? now : withheldSince;
      return all.suffice()
          ? new Idle(test.pod(), test.hello(), now, lastAsked, test.began())
          : new Checking(startsSince, lastAsked, 0, since, all);
    }
  }

  /**
   * It waits for a run.
   *
   * @param hello what its runner has answered last
   * @param since when it began to wait
   * @param lastAsked when it was asked last
   * @param tested when the test began that it has passed last
   */
  record Idle(WarmPod pod, Hello hello, Instant since, Instant lastAsked, Instant tested)
      implements PoolPod {
    @Override
    public Idle asked(Instant now) {
      return new Idle(pod, hello, since, now, tested);
    }

    @Override
    public Checking missed() {
      return dropped().missed();
    }

    /** One that passes again keeps its place. */
    @Override
    public PoolPod tested(Test test, Instant now) {
      return dropped().tested(test, now) instanceof Idle again
          ? new Idle(again.pod, again.hello, since, lastAsked, again.tested)
          : dropped().tested(test, now);
    }

    @Override
    public Checking dropped() {
      return new Checking(null, lastAsked, 0, null, ClosedRounds.NONE);
    }
  }

  /**
   * It was given a job, by this process or by another leader, whose run may or may not be bound.
   *
   * @param deletion when it is to be deleted if still no run is bound to it; null while it has one,
   *     as far as is known
   * @param isStarted whether it was found started then: it is left to its run for as long again,
   *     once
   */
  record Claimed(@Nullable Instant deletion, boolean isStarted) implements PoolPod {
    private static final Claimed NOW = new Claimed(null, false);

    @Override
    public PoolPod claimed() {
      return this;
    }

    @Override
    public PoolPod retiring() {
      return this;
    }

    @Override
    public PoolPod withRun() {
      return NOW;
    }

    @Override
    public PoolPod withoutRun(Instant graceEnd) {
      return deletion == null ? new Claimed(graceEnd, false) : this;
    }

    @Override
    public PoolPod attempted(Instant next) {
      return deletion == null ? this : new Claimed(next, isStarted);
    }

    @Override
    public PoolPod foundStarted(Instant next) {
      return deletion == null ? this : new Claimed(next, true);
    }

    @Override
    public boolean isDeletedAt(Instant now) {
      return deletion != null && !now.isBefore(deletion);
    }
  }

  /**
   * It is to be deleted.
   *
   * @param nextAttempt when that is tried next
   */
  record Retiring(Instant nextAttempt) implements PoolPod {
    private static final Retiring NOW = new Retiring(Instant.MIN);

    @Override
    public PoolPod retiring() {
      return this;
    }

    @Override
    public PoolPod attempted(Instant next) {
      return new Retiring(next);
    }

    @Override
    public boolean isDeletedAt(Instant now) {
      return !now.isBefore(nextAttempt);
    }
  }
}
