package dev.assay.operator.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.egress.EgressCheck.Closed;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosedRoundsTest {
  private static final Verdict CLOSED = new Closed();
  private static final Verdict OPEN = new NotClosed(true, "open");
  private static final Verdict UNKNOWN = new NotClosed(false, "unknown");

  @Test
  void aPodThatWasNeverOpenIsBelievedTheFirstTime() {
    assertThat(suffice()).isFalse();
    assertThat(suffice(CLOSED)).isTrue();
    assertThat(suffice(UNKNOWN)).isFalse();
    assertThat(suffice(UNKNOWN, CLOSED)).isTrue();
  }

  @Test
  void aPodThatWasOpenIsBelievedTheThirdTimeInARow() {
    assertThat(suffice(OPEN, CLOSED)).isFalse();
    assertThat(suffice(OPEN, CLOSED, CLOSED)).isFalse();
    assertThat(suffice(OPEN, CLOSED, CLOSED, CLOSED)).isTrue();
    assertThat(suffice(OPEN, CLOSED, CLOSED, UNKNOWN, CLOSED)).isFalse();
    assertThat(suffice(OPEN, CLOSED, OPEN, CLOSED, CLOSED, CLOSED)).isTrue();
  }

  private static boolean suffice(Verdict... verdicts) {
    ClosedRounds rounds = ClosedRounds.NONE;
    for (Verdict verdict : List.of(verdicts)) {
      rounds = rounds.with(verdict);
    }
    return rounds.suffice();
  }
}
