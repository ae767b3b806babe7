package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the code of a run is written in. */
public enum Language {
  @JsonProperty("python")
  PYTHON
}
