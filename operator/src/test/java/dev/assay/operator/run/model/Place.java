package dev.assay.operator.run.model;

/** What an execution or a caretaker does next. */
enum Place {
  /** It does not exist. */
  NONE,

  /** It reads the run. */
  LOOK,

  /** It has chosen an idle Pod, and stages or binds. */
  CLAIMED,

  /** The run is bound to its Pod, which did not answer. */
  SILENT_POD,

  /** It follows a run that was started. */
  FOLLOW,

  /** Its bind was not answered, and may still be written. */
  UNKNOWN_BIND,

  /** It waits for a response. */
  WAITS
}
