package dev.assay.operator.run.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.run.execution.ExecutionFixture;
import dev.assay.operator.run.execution.ExecutionRequest;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunLimitsTest {
  private static final Pod POD = Samples.runningPod(7333);

  @Test
  void aPodTellsTheLimitsItWasMadeFor() {
    RunLimits limits =
        RunLimits.of(Samples.spec("1", 7, 2048, null), Samples.classSpec(Purpose.Run));
    assertThat(limits)
        .isEqualTo(new RunLimits(Duration.ofSeconds(7), 2048, "512Mi", Samples.ARTIFACTS));
    assertThat(RunLimits.of(limits.writtenTo(POD))).contains(limits);
  }

  @Test
  void aPodOfAnOlderOperatorTellsNone() {
    assertThat(RunLimits.of(POD)).isEmpty();
    assertThat(RunLimits.of(Samples.spec("1", 7, 2048, null), POD)).isEmpty();
  }

  @Test
  void aWarmPodTellsTheLimitsOfItsClassAndTheRunThatItIsGivenAddsItsOwn() {
    RunClassSpec runClass = Samples.classSpec(Purpose.Run);
    Pod warm =
        new PodBuilder(POD)
            .editMetadata()
            .addToAnnotations(RunLimits.ofWarmPod(runClass).annotations())
            .endMetadata()
            .build();
    for (AnalyticsRunSpec spec :
        List.of(
            Samples.spec("1", 7, 2048, null),
            Samples.spec("1", null, null, null),
            Samples.spec("1", null, 64 << 20, null).withTimeoutMillis(1500))) {
      RunLimits admitted = RunLimits.of(spec, runClass);
      assertThat(RunLimits.of(spec, warm)).contains(admitted);
      assertThat(RunLimits.of(spec, admitted.writtenTo(warm))).as("adopted").contains(admitted);
    }
  }

  @Test
  void aPodMayLiveAsLongForTheLongestRunOfItsClassAsThatRunTakes() {
    RunClassSpec runClass = Samples.classSpec(Purpose.Run);
    int longest = runClass.timeouts().maxSeconds();
    ExecutionRequest request =
        new ExecutionRequest(
            Samples.run(),
            POD,
            List.of(),
            null,
            Instant.EPOCH,
            RunLimits.of(Samples.spec("1", longest, null, null), runClass),
            null,
            null,
            RunLimits.START_TIMEOUT,
            cause -> Optional.empty(),
            new ExecutionFixture.FakeWaiting());
    assertThat(RunLimits.ofWarmPod(runClass).maxRunLife()).isEqualTo(request.podLife());
  }

  @Test
  void aTimeLimitInMillisecondsIsKept() {
    RunClassSpec runClass = Samples.classSpec(Purpose.Run);
    RunLimits limits =
        RunLimits.of(Samples.spec("1", null, null, null).withTimeoutMillis(1500), runClass);
    assertThat(limits.timeout()).isEqualTo(Duration.ofMillis(1500));
    assertThat(RunLimits.of(limits.writtenTo(POD))).contains(limits);
    assertThat(limits.annotations())
        .as("what an older operator reads")
        .containsEntry("assay.dev/timeout-seconds", "2");
  }

  @Test
  void thePodOfAnOperatorThatKnewSecondsOnlyHasThose() {
    Pod pod =
        new PodBuilder(
                new RunLimits(Duration.ofSeconds(7), 1, "1Mi", Samples.ARTIFACTS).writtenTo(POD))
            .editMetadata()
            .removeFromAnnotations("assay.dev/timeout-millis")
            .endMetadata()
            .build();
    assertThat(RunLimits.of(pod).orElseThrow().timeout()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void limitsThatAreNoNumbersAreNone() {
    Pod pod =
        new PodBuilder(
                new RunLimits(Duration.ofSeconds(1), 1, "1Mi", Samples.ARTIFACTS).writtenTo(POD))
            .editMetadata()
            .addToAnnotations("assay.dev/timeout-millis", "soon")
            .endMetadata()
            .build();
    assertThat(RunLimits.of(pod)).isEmpty();
  }
}
