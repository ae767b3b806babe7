package dev.assay.operator.run.cleanup;

import static dev.assay.operator.Samples.NAMESPACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.fixture.FakeRunResources;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutputExcessTest {
  private static final int MAX_BYTES = 1000;

  private final ManualClock clock = new ManualClock();
  private final FakeOutputStore store = new FakeOutputStore();
  private final RunOutputs outputs = new RunOutputs(store, clock);
  private final FakeRunResources resources = new FakeRunResources();
  private final OutputExcess excess =
      new OutputExcess(
          resources, outputs, new OutputStoreConfig("/outputs", 10, MAX_BYTES, MAX_BYTES));

  @Test
  void theOldestOutputsOfANamespaceMakeRoomForItsArtifactsBeforeTheseAreStored() throws Exception {
    for (String uid : new String[] {"oldest", "unfinished", "older", "newer"}) {
      outputs.append(NAMESPACE, uid, 0, "x".repeat(300).getBytes(UTF_8));
      outputs.finish(NAMESPACE, uid, false);
      clock.advance(Duration.ofSeconds(1));
    }
    outputs.append("other", "oldest-of-other", 0, "x".repeat(300).getBytes(UTF_8));
    outputs.finish("other", "oldest-of-other", false);
    resources.unfinishedRunUids.addAll(Set.of("unfinished", "transferred"));
    var unused =
        outputs.storeArtifacts(
            NAMESPACE,
            "transferred",
            400,
            excess::remove,
            writer -> {
              assertThat(store.storedRuns(NAMESPACE))
                  .containsExactlyInAnyOrder("unfinished", "newer");
              return null;
            });
    assertThat(store.storedRuns("other")).containsExactly("oldest-of-other");
  }

  @Test
  void theRunsOfANamespaceAreLookedAtOnlyIfItHasStoredTooMuch() throws Exception {
    outputs.append(NAMESPACE, "first", 0, "x".repeat(MAX_BYTES).getBytes(UTF_8));
    outputs.finish(NAMESPACE, "first", false);
    excess.remove(NAMESPACE);
    assertThat(resources.unfinishedReads).hasValue(0);
    outputs.append(NAMESPACE, "second", 0, "x".getBytes(UTF_8));
    excess.remove(NAMESPACE);
    assertThat(resources.unfinishedReads).hasValue(1);
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("second");
  }
}
