package dev.assay.operator.run.model;

/**
 * The state of a supervisor. In hello, {@code STARTING} and {@code RUNNING} are Started; {@code
 * FINISHED} and {@code START_FAILED} are Finished.
 */
enum Supervisor {
  IDLE,
  STAGED,
  STARTING,
  RUNNING,
  FINISHED,
  START_FAILED,
  REFUSED;

  boolean isPastItsStart() {
    return switch (this) {
      case STARTING, RUNNING, FINISHED, START_FAILED -> true;
      case IDLE, STAGED, REFUSED -> false;
    };
  }
}
