package dev.assay.frontend.artifact;

import dev.assay.api.v1alpha1.Language;

/** The media type of code. */
public final class CodeType {
  private CodeType() {}

  /** That of a language. */
  public static String of(Language language) {
    return switch (language) {
      case PYTHON, POLARS -> "text/x-python";
      case SQL -> "application/sql";
      case JAVASCRIPT -> "text/javascript";
      case TYPESCRIPT -> "application/typescript";
    };
  }
}
