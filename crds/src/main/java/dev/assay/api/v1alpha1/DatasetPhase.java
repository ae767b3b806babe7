package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * The phase of a dataset's newest generation. A dataset that was ready once keeps its snapshot
 * while it reloads.
 */
public enum DatasetPhase {
  /** The operator has not processed this generation yet. */
  Pending,
  /** The snapshot Pod is up and receives the bytes of an upload. */
  Uploading,
  /** The snapshot Pod starts or reads the source; the message says what it waits for. */
  Loading,
  /** The snapshot is complete, and new runs read it. */
  Ready,
  /**
   * The source could not be read or stored; the message has the cause. Fix it and load the dataset
   * again. Runs read the snapshot from before, if there is one.
   */
  Failed,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown
}
