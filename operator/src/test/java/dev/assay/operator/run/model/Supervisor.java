package dev.assay.operator.run.model;

/** What a supervisor reports, with {@code STARTED} split by whether code runs. */
enum Supervisor {
  IDLE,
  STAGED,
  STARTING,
  RUNNING,
  FINISHED,
  START_FAILED,
  REFUSED
}
