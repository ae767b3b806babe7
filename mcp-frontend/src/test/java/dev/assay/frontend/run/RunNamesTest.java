package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RunNamesTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private Instant now = NOW;
  private final RunNames names = new RunNames(() -> now);

  @Test
  void runsOfOneInstantAreNamedInTheirOrder() {
    List<String> given = Stream.generate(names).limit(1000).toList();

    assertThat(given).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aLaterRunHasTheGreaterName() {
    String earlier = names.get();
    now = NOW.plusSeconds(3_000_000_000L);

    assertThat(names.get()).isGreaterThan(earlier);
  }

  @Test
  void namesStayInOrderWhereTheClockIsSetBack() {
    String earlier = names.get();
    now = NOW.minusSeconds(60);

    assertThat(names.get()).isGreaterThan(earlier);
  }

  @Test
  void twoFrontEndsDoNotGiveOneNameAtOneInstant() {
    assertThat(new RunNames(() -> now).get()).isNotEqualTo(names.get());
  }

  @Test
  void aNameIsOneThatKubernetesTakes() {
    assertThat(names.get()).hasSize(19).startsWith("run-").matches(RunNames::isValid);
  }
}
