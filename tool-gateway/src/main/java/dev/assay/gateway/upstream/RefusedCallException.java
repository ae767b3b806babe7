package dev.assay.gateway.upstream;

import dev.assay.gateway.policy.Refusal;

/** A call is not sent, by policy. */
public final class RefusedCallException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  RefusedCallException(Refusal refusal) {
    super(refusal.message());
    this.refusal = refusal;
  }

  /** Why. */
  public Refusal refusal() {
    return refusal;
  }
}
