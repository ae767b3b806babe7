package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the code of a run is written in. */
public enum Language {
  @JsonProperty("python")
  PYTHON("python", /* takesInput= */ false);

  private final String wireName;
  private final boolean takesInput;

  Language(String wireName, boolean takesInput) {
    this.wireName = wireName;
    this.takesInput = takesInput;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }

  /** Whether code of this language can read {@code spec.input}. */
  public boolean takesInput() {
    return takesInput;
  }
}
