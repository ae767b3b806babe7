package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;

/** How the wait for a run ended. */
public sealed interface RunOutcome {
  /** The run as it was last seen. */
  AnalyticsRun run();

  /** It has reached a final phase. */
  record Ended(AnalyticsRun run) implements RunOutcome {}

  /** It was deleted before it ended. */
  record Deleted(AnalyticsRun run) implements RunOutcome {}

  /** The caller does not want it any more. */
  record NotWanted(AnalyticsRun run) implements RunOutcome {}

  /** Nobody waits for it any more, and it goes on. */
  record Abandoned(AnalyticsRun run) implements RunOutcome {}

  /** Every limit has passed and it has not ended: the operator is not doing its work. */
  record Overdue(AnalyticsRun run) implements RunOutcome {}
}
