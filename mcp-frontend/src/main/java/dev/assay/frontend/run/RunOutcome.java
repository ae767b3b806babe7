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

  /** The caller has cancelled it. */
  record NotWanted(AnalyticsRun run) implements RunOutcome {}

  /** Nobody waits for it any more, and it goes on. */
  record Abandoned(AnalyticsRun run) implements RunOutcome {}

  /** It has not ended while its caller waited, and it goes on. */
  record InProgress(AnalyticsRun run) implements RunOutcome {}

  /** It has not ended within all of its limits: the operator is not working. */
  record Overdue(AnalyticsRun run) implements RunOutcome {}
}
