package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.RateLimit;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many runs there are, and how fast a caller creates them: each is in the memory of
 * every operator and front end until it is deleted, so that a caller that creates runs in a loop
 * would end them.
 */
public final class LimitedRuns implements RunGateway {
  private final RunGateway runs;
  private final Limits limits;
  private final RateLimit<Identity> rate;

  /**
   * How many runs may be stored; their bytes are limited to {@link RunBytes#AVERAGE} for each.
   *
   * @param perNamespace runs of a namespace, ended ones included
   * @param perCaller of these, runs of one caller
   * @param unfinishedPerCaller of these, runs that have not ended
   * @param perSecondPerCaller how many one caller may create in a second; in a burst, five times as
   *     many
   */
  public record Limits(
      int perNamespace, int perCaller, int unfinishedPerCaller, int perSecondPerCaller) {}

  /** Limited runs. */
  public LimitedRuns(RunGateway runs, Limits limits) {
    this(runs, limits, System::nanoTime);
  }

  LimitedRuns(RunGateway runs, Limits limits, LongSupplier nanoTime) {
    this.runs = runs;
    this.limits = limits;
    this.rate = RateLimit.perSecond(limits.perSecondPerCaller(), nanoTime);
  }

  /** What there is of runs. */
  private record Total(long runs, long bytes) {
    static Total of(List<AnalyticsRun> runs) {
      return new Total(runs.size(), runs.stream().mapToLong(RunBytes::of).sum());
    }
  }

  /** The cache may lag: a burst may exceed the limits by what is not in it yet. */
  @Override
  public AnalyticsRun create(AnalyticsRun run) {
    String namespace = run.getMetadata().getNamespace();
    @Nullable String caller = run.getSpec().caller();
    if (!rate.take(Identity.owner(caller, namespace))) {
      throw ClusterException.limited(
          "you create runs faster than the limit of %d a second; retry in a second"
              .formatted(limits.perSecondPerCaller()));
    }
    List<AnalyticsRun> known = runs.list(namespace);
    List<AnalyticsRun> own =
        known.stream().filter(each -> Objects.equals(caller, each.getSpec().caller())).toList();
    long unfinished = own.stream().filter(each -> !RunState.hasEnded(each)).count();
    if (unfinished >= limits.unfinishedPerCaller) {
      throw ClusterException.limited(
          "you have %d runs that have not ended, which is the limit; wait for some, or cancel them"
              .formatted(unfinished));
    }
    require("you have", Total.of(own), limits.perCaller, run);
    require("the namespace has", Total.of(known), limits.perNamespace, run);
    return runs.create(run);
  }

  private static void require(String who, Total total, int most, AnalyticsRun wanted) {
    if (total.runs >= most) {
      throw ClusterException.limited(
          "%s %d runs, which is the limit; finished ones are deleted after their time to live: retry later"
              .formatted(who, total.runs));
    }
    long bytes = (long) most * RunBytes.AVERAGE;
    if (total.bytes + RunBytes.of(wanted) > bytes) {
      throw ClusterException.limited(
          "%s runs of %d bytes, and %d is the limit; load large inputs as datasets, or retry later"
              .formatted(who, total.bytes, bytes));
    }
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
