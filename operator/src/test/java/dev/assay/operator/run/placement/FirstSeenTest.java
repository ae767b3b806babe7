package dev.assay.operator.run.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FirstSeenTest {
  private final ManualClock clock = new ManualClock();
  private final FirstSeen firstSeen = new FirstSeen(clock);
  private final Instant created = Instant.parse(Samples.CREATED);

  @Test
  void aNewRunCountsFromWhenItIsSeenFirst() {
    clock.advance(Duration.ofMillis(700));
    firstSeen.see(Samples.run());
    clock.advance(Duration.ofMinutes(1));
    assertThat(firstSeen.see(Samples.run())).isEqualTo(created.plusMillis(700));
  }

  @Test
  void aRunThatWasCreatedEarlierCountsFromItsCreation() {
    clock.advance(Duration.ofMillis(2001));
    assertThat(firstSeen.see(Samples.run())).isEqualTo(created);
  }

  @Test
  void aRunThatHasEndedIsForgotten() {
    firstSeen.see(Samples.run());
    firstSeen.forget(Samples.run());
    clock.advance(Duration.ofSeconds(1));
    assertThat(firstSeen.see(Samples.run())).isEqualTo(created.plusSeconds(1));
  }
}
