package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunJobTest {
  private static final String CODE = "print(1)";
  private static final Job.Limits LIMITS = new Job.Limits(1, 2, 3, 4);

  @Test
  void aJobNamesTheDatasetsOfItsRunInTheirOrder() {
    assertThat(
            RunJob.of(Samples.spec(CODE, null, null, null, "b", "a"), runner("datasets"), LIMITS))
        .isEqualTo(
            new Job.Python(CODE, List.of(new Job.Dataset("b"), new Job.Dataset("a")), LIMITS));
    assertThat(RunJob.of(Samples.spec(CODE, null, null, null), runner("datasets"), LIMITS))
        .isEqualTo(new Job.Python(CODE, List.of(), LIMITS));
  }

  @Test
  void anOldRunnerTakesTheDatasetsOfItsPod() {
    assertThat(RunJob.of(Samples.spec(CODE, null, null, null, "b", "a"), runner("sources"), LIMITS))
        .isEqualTo(new Job.Python(CODE, null, LIMITS));
  }

  private static Hello runner(String... features) {
    return new Hello(1, Samples.POD_UID, "nonce", "Idle", null, null, List.of(features));
  }
}
