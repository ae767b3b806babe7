package dev.assay.operator.run.machine;

/** Whether a runner has taken the job of a run. */
public sealed interface Staging {
  /** It has. */
  record Staged() implements Staging {}

  /**
   * A warm Pod has not; another may.
   *
   * @param byAnotherRun whether it has the job of another run, which it must be left to
   */
  record Failed(String cause, boolean byAnotherRun) implements Staging {}

  /**
   * No runner would take it.
   *
   * @param message what to change
   */
  record Invalid(String message) implements Staging {}

  /**
   * The runner of a Pod of the run's own refused it.
   *
   * @param isOfTheJob whether because of what is in the job; if not, another process may have
   *     staged or started it meanwhile
   */
  record Refused(String code, boolean isOfTheJob, String message) implements Staging {}

  /** The job did not reach the Pod, usually because that is terminating. */
  record Unanswered(String message) implements Staging {}
}
