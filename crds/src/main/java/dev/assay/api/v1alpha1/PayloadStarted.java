package dev.assay.api.v1alpha1;

/** Whether the code has been started: the difference between a safe and an unsafe retry. */
public enum PayloadStarted {
  /** Surely not: trying again is safe. */
  No,
  /** It reached its first instruction. */
  Yes,
  /** It was told to start, and whether it did cannot be known. */
  Unknown
}
