package dev.assay.operator.egress;

import dev.assay.operator.egress.EgressCheck.Closed;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;

/**
 * How many checks in a row have found the network of a Pod closed. Silence counts as a refusal, and
 * may be that of a network that loses packets: so one check is not enough for a Pod that could
 * connect before.
 *
 * @param wasOpen whether the Pod is known to have connected
 * @param closed how many checks have found it closed since the last one that did not
 */
public record ClosedRounds(boolean wasOpen, int closed) {
  /** Before the first check. */
  public static final ClosedRounds NONE = new ClosedRounds(false, 0);

  private static final int ENOUGH = 1;
  private static final int ENOUGH_ONCE_OPEN = 3;

  /** With one more check. */
  public ClosedRounds with(Verdict verdict) {
    return switch (verdict) {
      case Closed unused -> new ClosedRounds(wasOpen, closed + 1);
      case NotClosed found -> new ClosedRounds(wasOpen || found.couldConnect(), 0);
    };
  }

  /** Whether the Pod may be given code. */
  public boolean suffice() {
    return closed >= (wasOpen ? ENOUGH_ONCE_OPEN : ENOUGH);
  }
}
