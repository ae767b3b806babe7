package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** Whether the code was started: the difference between a safe and an unsafe retry. */
public enum PayloadStarted {
  /** The code was not started. Retrying is safe. */
  No,
  /** The code reached its first instruction. A retry runs it from its beginning. */
  Yes,
  /** It is unknown whether the code was started. A retry may run it twice. */
  @JsonEnumDefaultValue
  Unknown
}
