package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FinalStepsTest {
  @Test
  void aStepThatFailsSkipsNoOther() {
    List<String> taken = new ArrayList<>();
    assertThatThrownBy(
            () ->
                FinalSteps.run(
                    () -> taken.add("first"),
                    () -> {
                      throw new OutOfMemoryError("in a test");
                    },
                    () -> taken.add("last")))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(taken).containsExactly("first", "last");
  }
}
