package dev.assay.operator.run.model;

import java.util.EnumSet;
import java.util.Set;

/**
 * The rules by which processes bind runs.
 *
 * @param mistakes those that are broken
 */
record Rules(Set<Mistake> mistakes) {
  static final Rules ALL = new Rules(Set.of());

  /** A rule that is broken. */
  enum Mistake {
    /** The API server does not compare the version of a write that takes a run from its Pod. */
    UNBINDING_ON_ANY_VERSION,

    /** Who takes a run over starts it without having written that. */
    START_BEFORE_TAKEOVER,

    /** A supervisor that has refused accepts a job and starts it. */
    REFUSAL_IS_FORGOTTEN,

    /** A Pod that was seen idle is deleted, whatever it has meanwhile. */
    DELETION_WITHOUT_REFUSAL,

    /** A result is acknowledged, and then stored. */
    ACK_BEFORE_STORE,

    /**
     * A run is taken from a silent Pod by whoever is its dispatcher and has itself sent no start,
     * also if another has made the binding.
     */
    UNBINDING_BY_ANY_DISPATCHER,

    /** A run whose start was sent may end as not started. */
    NOT_STARTED_AFTER_A_START,

    /** Who is told that the Pod has the job of its run already gives the run back. */
    BYTES_CHANGED_IS_A_REFUSAL
  }

  static Rules breaking(Mistake mistake) {
    return new Rules(EnumSet.of(mistake));
  }

  boolean has(Mistake mistake) {
    return mistakes.contains(mistake);
  }
}
