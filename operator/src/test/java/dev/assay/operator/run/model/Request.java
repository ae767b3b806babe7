package dev.assay.operator.run.model;

/**
 * A request that is under way.
 *
 * @param sender the execution or caretaker that sent it
 * @param outcome that of a {@code FINAL} write; otherwise {@code NONE}
 * @param awaited whether its sender still waits for the response
 * @param fresh whether a write still has the current resourceVersion, so that the API server
 *     accepts it
 */
record Request(Kind kind, int sender, int pod, Outcome outcome, boolean awaited, boolean fresh) {
  /** Requests; the first four are writes of a run's status. */
  enum Kind {
    BIND,
    TAKE_OVER,
    UNBIND,
    FINAL,
    STAGE,
    START,

    /** Has a Pod start nothing: {@code refuse}. */
    RETIRE,
    ACK;

    boolean isWrite() {
      return compareTo(FINAL) <= 0;
    }
  }

  int packed() {
    return 1
        + (kind.ordinal()
            | sender << 3
            | (pod + 1) << 7
            | outcome.ordinal() << 10
            | (awaited ? 1 << 12 : 0)
            | (fresh ? 1 << 13 : 0));
  }

  static Request of(int packed) {
    int bits = packed - 1;
    return new Request(
        Kind.values()[bits & 7],
        bits >> 3 & 15,
        (bits >> 7 & 7) - 1,
        Outcome.values()[bits >> 10 & 3],
        (bits >> 12 & 1) == 1,
        (bits >> 13 & 1) == 1);
  }

  Request to(int other) {
    return new Request(kind, sender, other, outcome, awaited, fresh);
  }

  Request abandoned() {
    return new Request(kind, sender, pod, outcome, false, fresh);
  }

  Request stale() {
    return new Request(kind, sender, pod, outcome, awaited, false);
  }
}
