package dev.assay.api.v1alpha1;

/**
 * Where a dataset stands. A dataset that was ready once keeps its snapshot while it reloads.
 * Uploading means that its Pod is up and takes the bytes.
 */
public enum DatasetPhase {
  Pending,
  Uploading,
  Loading,
  Ready,
  Failed
}
