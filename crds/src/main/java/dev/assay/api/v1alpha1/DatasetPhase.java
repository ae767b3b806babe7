package dev.assay.api.v1alpha1;

/** Where a dataset stands. A dataset that was ready once keeps its snapshot while it reloads. */
public enum DatasetPhase {
  Pending,
  Loading,
  Ready,
  Failed
}
