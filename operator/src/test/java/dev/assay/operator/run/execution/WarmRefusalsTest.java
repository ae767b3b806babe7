package dev.assay.operator.run.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.operator.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmRefusalsTest {
  private static final List<PinnedSnapshot> SNAPSHOTS =
      List.of(new PinnedSnapshot("sales", "a", "snapshots/a", null, null));

  private final ManualClock clock = new ManualClock();
  private final WarmRefusals refusals = new WarmRefusals(clock);

  @Test
  void theRefusalsOfOneNamespacePushOutThoseOfNoOther() {
    refusals.runRefused("team-a", "run-1");
    refusals.snapshotsRefused("team-a", SNAPSHOTS);
    for (int number = 0; number < 10_000; number++) {
      refusals.runRefused("team-b", "run-" + number);
    }
    assertThat(refusals.contain("team-a", "run-1", List.of())).isTrue();
    assertThat(refusals.contain("team-a", "another run", SNAPSHOTS)).isTrue();
    assertThat(refusals.contain("team-b", "run-9999", List.of())).isTrue();
    assertThat(refusals.contain("team-b", "run-9900", List.of())).isTrue();
    assertThat(refusals.contain("team-b", "run-9899", List.of())).as("too many").isFalse();
  }

  @Test
  void runsPushOutNoSnapshots() {
    refusals.snapshotsRefused("team-a", SNAPSHOTS);
    for (int number = 0; number < 1000; number++) {
      refusals.runRefused("team-a", "run-" + number);
    }
    assertThat(refusals.contain("team-a", "another run", SNAPSHOTS)).isTrue();
  }

  @Test
  void aRefusalConcernsItsNamespaceOnly() {
    refusals.snapshotsRefused("team-a", SNAPSHOTS);
    assertThat(refusals.contain("team-b", "run-1", SNAPSHOTS)).isFalse();
  }

  @Test
  void aRefusalThatIsRepeatedIsRememberedLonger() {
    refusals.runRefused("team-a", "run-1");
    clock.advance(Duration.ofMinutes(9));
    refusals.runRefused("team-a", "run-1");
    clock.advance(WarmRefusals.MEMORY);
    assertThat(refusals.contain("team-a", "run-1", List.of())).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(refusals.contain("team-a", "run-1", List.of())).isFalse();
  }
}
