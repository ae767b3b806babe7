package dev.assay.operator.run.model;

/** How a run ended. */
enum Outcome {
  NONE,
  DONE,
  LOST,
  NOT_STARTED
}
