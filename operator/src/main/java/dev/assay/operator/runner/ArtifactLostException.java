package dev.assay.operator.runner;

import java.io.IOException;

/** A Pod did not deliver an artifact as it was announced. */
public final class ArtifactLostException extends IOException {
  private static final long serialVersionUID = 1L;

  ArtifactLostException(String message) {
    super(message);
  }
}
