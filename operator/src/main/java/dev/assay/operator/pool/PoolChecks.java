package dev.assay.operator.pool;

import dev.assay.operator.egress.ClosedRounds;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerRefusedException;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Pods who they are, and whether their network is closed: before they are offered, and again
 * while they wait. An address may have been reused, another leader may have given the Pod a job, a
 * node may be lost, and a NetworkPolicy changed.
 */
final class PoolChecks {
  private static final Logger LOG = LoggerFactory.getLogger(PoolChecks.class);

  /** Between two checks of a Pod that is not idle, so that it is offered soon. */
  private static final Duration STARTING_INTERVAL = Duration.ofSeconds(1);

  /** Between two checks of an idle Pod, so that its connection is kept. */
  private static final Duration IDLE_INTERVAL = Duration.ofSeconds(20);

  /** How long a Pod that is withheld is asked as often as one that starts. */
  private static final Duration SOON_CLOSED = Duration.ofSeconds(10);

  /** Checks of a namespace at once; the others follow in the next round. */
  private static final int MAX_AT_ONCE = 32;

  private static final Duration MAX_START = Duration.ofMinutes(10);
  private static final int MAX_MISSED = 2;

  private final WarmPods warmPods;
  private final PoolPauses pauses;
  private final PoolHistory history;
  private final RunnerClient runners;
  private final Retirement retirement;
  private final EgressCheck egress;
  private final ExecutorService threads;
  private final Clock clock;
  private final Map<String, Checked> checked = new ConcurrentHashMap<>();
  private final NamespaceSlots slots = new NamespaceSlots(MAX_AT_ONCE);
  private final Set<String> inProgress = ConcurrentHashMap.newKeySet();

  /** Pods that were given a job by another leader, whose run may or may not be bound to them. */
  private final Set<String> withJob = ConcurrentHashMap.newKeySet();

  /**
   * The hashes of templates whose runners cannot refuse, by pool: a run could not leave their Pods
   * safely, and so is given none.
   */
  private final Map<PoolKey, String> tooOld = new ConcurrentHashMap<>();

  /** What the runner of a Pod answers. */
  private sealed interface Answer {}

  /** It waits for a job. */
  private record Idle(Hello hello) implements Answer {}

  /** It has a job. */
  private record HasJob(Hello hello) implements Answer {}

  /** It starts nothing any more, since its Pod is to be deleted. */
  private record Retired() implements Answer {}

  /** None, or that of another Pod. */
  private record None() implements Answer {}

  /**
   * What is known of a Pod.
   *
   * @param seen when this process saw it first
   * @param last when it was asked last
   * @param wasIdle whether it has been idle
   * @param missed how many checks in a row it has failed since then
   * @param withheldSince since when it has been ready with a network that is not known to be
   *     closed; null if it is not
   * @param rounds what the checks of its network have found
   */
  private record Checked(
      Instant seen,
      Instant last,
      boolean wasIdle,
      int missed,
      @Nullable Instant withheldSince,
      ClosedRounds rounds) {
    static Checked never(Instant now) {
      return new Checked(now, Instant.MIN, false, 0, null, ClosedRounds.NONE);
    }

    Checked asked(Instant now) {
      return new Checked(seen, now, wasIdle, missed, withheldSince, rounds);
    }

    Checked with(EgressCheck.Verdict verdict, Instant now) {
      ClosedRounds all = rounds.with(verdict);
      Instant since = withheldSince == null ? now : withheldSince;
      return all.suffice()
          ? new Checked(seen, last, true, 0, null, ClosedRounds.NONE)
          : new Checked(seen, last, wasIdle, 0, since, all);
    }

    Checked notIdle() {
      return new Checked(seen, last, wasIdle, wasIdle ? missed + 1 : 0, null, rounds);
    }

    boolean isWithheldFor(Duration time, Instant now) {
      return withheldSince != null && !now.isBefore(withheldSince.plus(time));
    }
  }

  PoolChecks(
      WarmPods warmPods,
      PoolPauses pauses,
      PoolHistory history,
      RunnerClient runners,
      Retirement retirement,
      EgressCheck egress,
      ExecutorService threads,
      Clock clock) {
    this.warmPods = warmPods;
    this.pauses = pauses;
    this.history = history;
    this.runners = runners;
    this.retirement = retirement;
    this.egress = egress;
    this.threads = threads;
    this.clock = clock;
  }

  /** Checks a Pod on another thread, if it is due. */
  void check(WarmPod pod) {
    Instant now = clock.instant();
    Checked before = checked.computeIfAbsent(pod.uid(), unused -> Checked.never(now));
    boolean mayAnswer = before.wasIdle() || PodState.isReachable(pod.pod());
    String namespace = pod.key().namespace();
    if (!mayAnswer
        || !isDue(pod, before, now)
        || inProgress.contains(pod.uid())
        || !slots.tryAcquire(namespace)) {
      return;
    }
    // Only the thread of the keeper adds to it.
    inProgress.add(pod.uid());
    checked.computeIfPresent(pod.uid(), (uid, known) -> known.asked(now));
    threads.execute(
        () -> {
          try {
            offerOrDrop(pod);
          } finally {
            inProgress.remove(pod.uid());
            slots.release(namespace);
          }
        });
  }

  /** Why a Pod is of no use to its pool; empty if it is, or may become so. */
  Optional<String> failure(PoolTemplate template, String uid) {
    if (!mayServe(template)) {
      return Optional.of("its runner image is from before 0.3");
    }
    Checked known = checked.get(uid);
    if (known == null) {
      return Optional.empty();
    }
    if (known.missed() >= MAX_MISSED) {
      return Optional.of("its runner does not answer any more");
    }
    if (known.withheldSince() != null) {
      // The next Pod would not be better.
      return Optional.empty();
    }
    // Counts from when this process saw it first: a new leader has offered none of its Pods yet.
    return !known.wasIdle() && !clock.instant().isBefore(known.seen().plus(MAX_START))
        ? Optional.of("it was not ready within " + MAX_START.toMinutes() + " minutes")
        : Optional.empty();
  }

  /** Whether Pods of a template are of use to its pool, as far as is known. */
  boolean mayServe(PoolTemplate template) {
    return !template.hash().equals(tooOld.get(template.key()));
  }

  /** Since when a Pod would be idle if its network were known to be closed; empty if it is not. */
  Optional<Instant> withheldSince(String uid) {
    return Optional.ofNullable(checked.get(uid)).map(Checked::withheldSince);
  }

  /** Whether the network of a Pod that would be idle otherwise is known to be open. */
  boolean couldConnect(String uid) {
    Checked known = checked.get(uid);
    return known != null && known.rounds().wasOpen();
  }

  /** Forgets all Pods but those that exist. */
  void retainOnly(Set<String> uids) {
    checked.keySet().retainAll(uids);
    withJob.retainAll(uids);
  }

  /** Whether a Pod has said that it has a job, so that it will never wait for one again. */
  boolean hasJob(String uid) {
    return withJob.contains(uid);
  }

  /**
   * Has a Pod that is to be deleted start nothing any more, whoever gives it a job; blocks until it
   * answers.
   *
   * @return false if it has a job
   */
  boolean retire(Pod pod) {
    return switch (ask(pod)) {
      case Idle idle -> retire(pod, idle.hello());
      case HasJob unused -> false;
      case Retired unused -> true;
      case None unused -> true;
    };
  }

  /**
   * The same for a Pod that may have been given a job, and has no run.
   *
   * @return false if it has started one
   */
  boolean retireUsed(Pod pod) {
    return switch (ask(pod)) {
      case Idle idle -> retirement.retire(pod, idle.hello());
      case HasJob used -> retirement.retire(pod, used.hello());
      case Retired unused -> true;
      case None unused -> true;
    };
  }

  private boolean retire(Pod pod, Hello idle) {
    boolean retired = retirement.retire(pod, idle);
    if (!retired) {
      withJob.add(pod.getMetadata().getUid());
    }
    return retired;
  }

  /** Asks a Pod whether it has a job; blocks until it answers, for at most some seconds. */
  private Answer ask(Pod pod) {
    // Without an address it can have no job of ours.
    Optional<RunnerAddress> address = RunnerAddress.find(pod);
    if (address.isEmpty() || !PodState.isReachable(pod)) {
      return new None();
    }
    String uid = pod.getMetadata().getUid();
    try {
      Hello hello = runners.hello(address.get());
      if (!hello.podUid().equals(uid)) {
        return new None();
      }
      if (hello.isIdle()) {
        return new Idle(hello);
      }
      if (hello.isRetired()) {
        return new Retired();
      }
      withJob.add(uid);
      return new HasJob(hello);
    } catch (IOException | RunnerRefusedException e) {
      return new None();
    }
  }

  private boolean isDue(WarmPod pod, Checked before, Instant now) {
    boolean rarely =
        warmPods.isIdle(pod.uid())
            || (before.isWithheldFor(SOON_CLOSED, now) && before.rounds().closed() == 0);
    Duration interval = rarely ? IDLE_INTERVAL : STARTING_INTERVAL;
    return !now.minus(interval).isBefore(before.last());
  }

  private void offerOrDrop(WarmPod pod) {
    Instant began = clock.instant();
    Answer answer = ask(pod.pod());
    if (answer instanceof Idle idle && !idle.hello().supports(Hello.REFUSE)) {
      if (!pod.hash().equals(tooOld.put(pod.key(), pod.hash()))) {
        LOG.warn(
            "Class {} has no warm Pods: its image is from before 0.3. Use the image of this release",
            pod.key().className());
      }
      return;
    }
    if (answer instanceof Idle idle && isReady(pod.pod())) {
      offerIfClosed(pod, idle.hello(), began);
      return;
    }
    if (answer instanceof Retired) {
      // The process that has retired it may have ended before it could delete it.
      boolean unused = warmPods.withdraw(pod.uid());
      return;
    }
    checked.computeIfPresent(pod.uid(), (uid, known) -> known.notIdle());
    if (warmPods.drop(pod.uid())) {
      LOG.info("Warm Pod {} no longer answers as one", pod.pod().getMetadata().getName());
    }
  }

  private void offerIfClosed(WarmPod pod, Hello hello, Instant began) {
    EgressCheck.Verdict verdict = egress.check(pod.pod(), hello);
    Checked before = checked.get(pod.uid());
    if (before == null) {
      // It does not exist any more.
      return;
    }
    Checked after = before.with(verdict, clock.instant());
    boolean isClosed = after.withheldSince() == null;
    if (isClosed && !warmPods.offer(pod, hello, began)) {
      // It was taken meanwhile, or what was found may not be true any more.
      return;
    }
    checked.replace(pod.uid(), after);
    if (verdict instanceof EgressCheck.NotClosed found) {
      withhold(pod, found, after);
    } else if (isClosed) {
      warmPods.queue().podIsIdle(pod.key());
      if (!before.wasIdle()) {
        pauses.succeeded(pod.key());
        history.idle(pod.key(), pod.pod().getMetadata().getName());
      }
    }
  }

  /**
   * No run is given the Pod until its network is closed. It stays: the next one would be as open.
   */
  private void withhold(WarmPod pod, EgressCheck.NotClosed found, Checked known) {
    boolean wasIdle = warmPods.drop(pod.uid());
    if (wasIdle || known.isWithheldFor(EgressCheck.GRACE, clock.instant())) {
      egress.report(pod.pod(), found);
    }
  }

  private boolean isReady(Pod pod) {
    try {
      return runners.isReady(RunnerAddress.of(pod));
    } catch (IOException | RunnerRefusedException e) {
      return false;
    }
  }
}
