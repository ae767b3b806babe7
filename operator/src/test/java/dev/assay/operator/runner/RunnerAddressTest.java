package dev.assay.operator.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerAddressTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.1,http://192.0.2.1:7333/v1/hello",
    "2001:db8::1,http://[2001:db8::1]:7333/v1/hello"
  })
  void theAddressIsThatOfThePodAndItsPort(String ip, String uri) {
    RunnerAddress address = RunnerAddress.of(podAt(ip));
    assertThat(address).isEqualTo(new RunnerAddress(ip, 7333));
    assertThat(address.resolve("/v1/hello")).hasToString(uri);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "localhost", "[::1]", "fe80::1%eth0", "192.0.2.1:80", "a b"})
  void whatIsNoAddressIsNotRead(@Nullable String ip) {
    assertThat(RunnerAddress.find(podAt(ip))).isEmpty();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(ints = {-1, 0, 65_536})
  void whatIsNoPortIsNotRead(@Nullable Integer port) {
    Pod pod = podAt("192.0.2.1");
    pod.getSpec().getContainers().getFirst().getPorts().getFirst().setContainerPort(port);
    assertThat(RunnerAddress.find(pod)).isEmpty();
  }

  @Test
  void aPodThatNamesNoPortAsThatOfARunnerHasNone() {
    Pod pod = podAt("192.0.2.1");
    pod.getSpec().getContainers().getFirst().getPorts().getFirst().setName(null);
    assertThat(RunnerAddress.find(pod)).isEmpty();
  }

  private static Pod podAt(@Nullable String ip) {
    return new PodBuilder(Samples.runningPod(7333)).editStatus().withPodIP(ip).endStatus().build();
  }
}
