package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many runs there are: each is in the memory of every operator and front end until it is
 * deleted, so that a caller that creates runs in a loop would end them.
 */
public final class LimitedRuns implements RunGateway {
  private final RunGateway runs;
  private final int maxPerNamespace;
  private final int maxUnfinishedPerCaller;

  /**
   * Limited runs.
   *
   * @param maxPerNamespace those of a namespace, ended ones included
   * @param maxUnfinishedPerCaller those of a caller that have not ended
   */
  public LimitedRuns(RunGateway runs, int maxPerNamespace, int maxUnfinishedPerCaller) {
    this.runs = runs;
    this.maxPerNamespace = maxPerNamespace;
    this.maxUnfinishedPerCaller = maxUnfinishedPerCaller;
  }

  /** The cache may lag: a burst may exceed the limits by what is not in it yet. */
  @Override
  public AnalyticsRun create(AnalyticsRun run) {
    List<AnalyticsRun> known = runs.list(run.getMetadata().getNamespace());
    if (known.size() >= maxPerNamespace) {
      throw ClusterException.refused(
          "the namespace has %d runs, which is the limit; retry when finished ones have been deleted"
              .formatted(known.size()));
    }
    // The caller has no more than there are: most creations count nothing.
    if (known.size() >= maxUnfinishedPerCaller) {
      long unfinished = unfinished(known, run.getSpec().caller());
      if (unfinished >= maxUnfinishedPerCaller) {
        throw ClusterException.refused(
            "you have %d runs that have not ended, which is the limit; wait for some, or cancel them"
                .formatted(unfinished));
      }
    }
    return runs.create(run);
  }

  private static long unfinished(List<AnalyticsRun> known, @Nullable String caller) {
    return known.stream()
        .filter(run -> !RunState.hasEnded(run))
        .filter(run -> Objects.equals(caller, run.getSpec().caller()))
        .count();
  }

  @Override
  public Subscription<AnalyticsRun> follow(String namespace, String name) {
    return runs.follow(namespace, name);
  }

  @Override
  public Optional<AnalyticsRun> read(String namespace, String name) {
    return runs.read(namespace, name);
  }

  @Override
  public List<AnalyticsRun> list(String namespace) {
    return runs.list(namespace);
  }

  @Override
  public void cancel(String namespace, String name) {
    runs.cancel(namespace, name);
  }

  @Override
  public void invalidate(String namespace, String name) {
    runs.invalidate(namespace, name);
  }

  @Override
  public void detach(String namespace, String name) {
    runs.detach(namespace, name);
  }

  @Override
  public void onSeen(Consumer<AnalyticsRun> listener) {
    runs.onSeen(listener);
  }
}
