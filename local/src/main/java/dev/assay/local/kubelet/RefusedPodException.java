package dev.assay.local.kubelet;

/** A Pod that cannot run here; the message says why and what to change. */
final class RefusedPodException extends Exception {
  private static final long serialVersionUID = 1;

  RefusedPodException(String message) {
    super(message);
  }
}
