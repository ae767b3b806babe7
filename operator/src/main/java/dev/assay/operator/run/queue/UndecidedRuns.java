package dev.assay.operator.run.queue;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Language;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.run.status.RunState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * New runs that may get idle Pods and that no reconcile has decided yet. The runs of a burst are
 * reconciled concurrently and in any order: a run leaves idle Pods to the older ones of these.
 */
public final class UndecidedRuns {
  /**
   * How long an undecided run holds back later ones. One that takes longer probably waits for the
   * API server: the first reconciles of a burst of a hundred runs took up to 600 ms to decide on
   * two busy cores.
   */
  static final Duration MAX_AGE = Duration.ofSeconds(2);

  private final Predicate<AnalyticsRun> isActive;
  private final Clock clock;

  /** By their UIDs, in the order of the watch. */
  private final LinkedHashMap<String, Undecided> runs = new LinkedHashMap<>();

  /**
   * Creates it without any.
   *
   * @param isActive whether a run still exists and has not ended, according to the caches
   */
  public UndecidedRuns(Predicate<AnalyticsRun> isActive, Clock clock) {
    this.isActive = isActive;
    this.clock = clock;
  }

  /**
   * Runs that may use the same Pods. Runs without a class are a group of their own, even if their
   * default is a class that others name.
   */
  private record Group(String namespace, @Nullable String className, Language language) {}

  private record Undecided(AnalyticsRun run, Group group, CreationOrder created, Instant seen) {}

  /**
   * The watch has added a run. It is decided in its first reconcile, which must come later. One
   * that reads inputs gets no idle Pod.
   */
  public synchronized void add(AnalyticsRun run) {
    Instant now = clock.instant();
    removeOld(now);
    if (RunState.isNew(run) && run.understood() && run.getSpec().inputList().isEmpty()) {
      runs.put(uid(run), new Undecided(run, group(run), CreationOrder.of(run), now));
    }
  }

  /** The number of those that may use the same Pods as a run and were created before it. */
  public synchronized int countBefore(AnalyticsRun run) {
    removeOld(clock.instant());
    Group group = group(run);
    CreationOrder created = CreationOrder.of(run);
    return Math.toIntExact(
        runs.values().stream()
            .filter(other -> other.group().equals(group))
            .filter(other -> other.created().compareTo(created) < 0)
            // Its metadata may have changed since it was added, and so its resource version.
            .filter(other -> !uid(other.run()).equals(uid(run)))
            .filter(other -> isActive.test(other.run()))
            .count());
  }

  /**
   * Takes a Pod for a run. No other run can take one meanwhile: it would count this one, which has
   * its Pod already.
   *
   * @param attempt takes the Pod, given what counts the undecided runs before this one
   */
  public synchronized <T> Optional<T> take(
      AnalyticsRun run, Function<IntSupplier, Optional<T>> attempt) {
    Optional<T> taken = attempt.apply(() -> countBefore(run));
    if (taken.isPresent()) {
      decided(run);
    }
    return taken;
  }

  /** A reconcile has decided: the run has a Pod, requests one, waits for its turn, or ends. */
  public synchronized void decided(AnalyticsRun run) {
    runs.remove(uid(run));
  }

  private void removeOld(Instant now) {
    Instant oldest = now.minus(MAX_AGE);
    while (!runs.isEmpty() && runs.firstEntry().getValue().seen().isBefore(oldest)) {
      runs.pollFirstEntry();
    }
  }

  private static Group group(AnalyticsRun run) {
    return new Group(
        run.getMetadata().getNamespace(), run.getSpec().className(), run.getSpec().language());
  }

  private static String uid(AnalyticsRun run) {
    return run.getMetadata().getUid();
  }
}
