package dev.assay.operator.run.model;

/** Where an execution, or the care for Pods, stands. */
enum Place {
  NONE,
  LOOK,
  CLAIMED,
  HAS_POD,
  FOLLOW,
  UNKNOWN_BIND,
  WAITS
}
