package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Output is kept exactly as long as its run. */
@Full
class StoredOutputE2E {
  private static final int SOON_SECONDS = 90;

  /** A sweep starts at the latest when an operator starts to lead. */
  private static final int SWEEP_SECONDS = 120;

  private final Runs runs;
  private final OperatorPods operators;
  private final OutputVolume volume;
  private AnalyticsRun run;
  private String uid;

  StoredOutputE2E(Assay assay) {
    this.runs = new Runs(assay);
    this.operators = new OperatorPods(assay);
    this.volume = new OutputVolume(assay);
  }

  @BeforeEach
  void store() {
    run = runs.create("python", "print('secret')", 30);
    uid = run.getMetadata().getUid();
    assertThat(runs.awaitEnd(run).phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(volume.find(uid)).isNotEmpty();
  }

  @Test
  void whatAFinishedRunPrintedGoesWithTheRun() {
    runs.delete(run);
    assertGone(uid, SOON_SECONDS);
  }

  @Test
  void outputWithoutARunIsSweptAndThatOfARunIsNot() {
    String orphan = UUID.randomUUID().toString();
    volume.copy(uid, orphan);
    assertThat(volume.find(orphan)).hasSameSizeAs(volume.find(uid));
    operators.replace(operators.leader());
    operators.leader();
    assertGone(orphan, SWEEP_SECONDS);
    assertThat(volume.find(uid)).isNotEmpty();
    runs.delete(run);
  }

  @Test
  void whatARunPrintedGoesAlsoWhereNoOperatorSawItsDeletion() {
    operators.without(() -> runs.delete(run));
    assertGone(uid, SWEEP_SECONDS);
  }

  private void assertGone(String part, int maxSeconds) {
    assertThat(volume.findAfterAtMost(maxSeconds, part)).as("after %d s", maxSeconds).isEmpty();
  }
}
