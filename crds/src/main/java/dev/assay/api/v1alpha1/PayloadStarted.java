package dev.assay.api.v1alpha1;

/** Whether the code was started: the difference between a safe and an unsafe retry. */
public enum PayloadStarted {
  /** The code was not started. Retrying is safe. */
  No,
  /** The code reached its first instruction. A retry runs it from its beginning. */
  Yes,
  /** The code was told to start, and nobody knows whether it did. A retry may run it twice. */
  Unknown
}
