package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.operator.output.SharedLimit;
import dev.assay.operator.output.SharedLimit.Item;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Decides which ended runs of a namespace are deleted before their time, so that new ones are not
 * refused. Pure.
 */
final class RunExcess {
  /** In percent of what the front end refuses new runs at. */
  private static final long ALLOWED = 90;

  private RunExcess() {}

  /**
   * Those to delete, the oldest of the caller who has most first.
   *
   * @param runs all runs of the namespace
   * @param maxRuns how many it may have; their bytes are limited to {@link RunBytes#AVERAGE} each
   */
  static List<AnalyticsRun> of(Collection<AnalyticsRun> runs, int maxRuns) {
    long allowed = ALLOWED * maxRuns / 100;
    return new SharedLimit(allowed, allowed * RunBytes.AVERAGE)
        .excess(
            runs.stream()
                .sorted(Comparator.comparing(RunState::finished))
                .map(
                    run ->
                        new Item<>(
                            run,
                            WaitingRun.caller(run),
                            RunBytes.of(run),
                            RunState.isFinal(run) && run.understood()))
                .toList());
  }
}
