package dev.assay.operator.run.cleanup;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.operator.output.SharedLimit;
import dev.assay.operator.output.SharedLimit.Item;
import dev.assay.operator.run.status.RunState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides which ended runs of a namespace are deleted before their time, so that new ones are not
 * refused. Pure.
 */
final class RunExcess {
  /** A result is kept at least that long, for who waits for it. */
  static final Duration KEPT = Duration.ofMinutes(2);

  /** In percent of what the front end refuses new runs at. */
  private static final long ALLOWED = 90;

  private RunExcess() {}

  /**
   * Those to delete, the oldest of the caller who has most first. None of the others, if that
   * caller has none to delete.
   *
   * @param runs all runs of the namespace
   * @param maxRuns how many it may have; their bytes are limited to {@link RunBytes#AVERAGE} each
   */
  static List<AnalyticsRun> of(Collection<AnalyticsRun> runs, int maxRuns, Instant now) {
    long allowed = Math.max(1, ALLOWED * maxRuns / 100);
    SharedLimit limit = new SharedLimit(allowed, allowed * RunBytes.AVERAGE);
    if (limit.allows(runs.size(), runs.stream().mapToLong(RunBytes::of).sum())) {
      return List.of();
    }
    Set<String> needed =
        runs.stream()
            .filter(run -> !RunState.isFinal(run))
            .flatMap(run -> run.getSpec().inputList().stream())
            .map(RunInput::run)
            .collect(Collectors.toSet());
    return limit.excessOfGreediest(
        runs.stream()
            .sorted(Comparator.comparing(RunState::finished))
            .map(
                run ->
                    new Item<>(
                        run,
                        RunState.caller(run),
                        RunBytes.of(run),
                        mayGo(run, now) && !needed.contains(run.getMetadata().getName())))
            .toList());
  }

  private static boolean mayGo(AnalyticsRun run, Instant now) {
    return RunState.isFinal(run)
        && run.understood()
        && run.getMetadata().getDeletionTimestamp() == null
        && !RunState.finished(run).plus(KEPT).isAfter(now);
  }
}
