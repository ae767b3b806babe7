package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/** The phase of a run, derived from its conditions. The last four are final. */
public enum RunPhase {
  /** The run waits for admission, for a dataset, or for its Pod. */
  Pending,
  /** The run is bound to its Pod, and its code has not been reported as started. */
  Starting,
  /** The code is running. */
  Running,
  /** Final: the code came to its end. */
  Succeeded,
  /** Final: the code ended with an error, or the run could not be carried out. */
  Failed,
  /** Final: the code ran longer than its time limit. */
  TimedOut,
  /** Final: the run was stopped on request. */
  Cancelled,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown;

  /** Whether the run has ended and its status will not change any more. */
  public boolean isFinal() {
    return switch (this) {
      case Pending, Starting, Running, Unknown -> false;
      case Succeeded, Failed, TimedOut, Cancelled -> true;
    };
  }
}
