package dev.assay.local.kubelet;

/** A Pod that cannot be run here; the text says why, and what would be. */
final class RefusedPodException extends Exception {
  private static final long serialVersionUID = 1;

  RefusedPodException(String message) {
    super(message);
  }
}
