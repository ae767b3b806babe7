package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EgressAddressTest {
  private static final Pod POD = Samples.runningPod(7333);

  @ParameterizedTest
  @CsvSource({"192.0.2.1,192.0.2.1:8787", "2001:db8::1,[2001:db8::1]:8787"})
  void theSupervisorIsToldAndThePodRemembers(String host, String text) {
    EgressAddress address = new EgressAddress(host, 8787);
    Pod pod = address.writtenTo(POD);
    assertThat(address).hasToString(text);
    assertThat(pod.getSpec().getContainers().getFirst().getEnv().getFirst().getValue())
        .isEqualTo(text);
    assertThat(EgressAddress.textOf(pod)).contains(text);
  }

  @Test
  void aPodOfAClassThatDoesNotRequireTheCheckHasNone() {
    assertThat(EgressAddress.textOf(POD)).isEmpty();
  }

  @Test
  void aForgedPodWhoseAddressIsReadFromElsewhereHasOneThatNothingEquals() {
    Pod forged = new EgressAddress("192.0.2.1", 8787).writtenTo(POD);
    forged.getSpec().getContainers().getFirst().getEnv().getFirst().setValue(null);
    assertThat(EgressAddress.textOf(forged)).contains("");
  }
}
