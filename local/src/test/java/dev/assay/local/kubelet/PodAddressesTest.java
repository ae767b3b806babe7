package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PodAddressesTest {
  @Test
  void noTwoPodsHaveOneAddressAndAllAreOnLoopback() {
    PodAddresses addresses = new PodAddresses(new Random(1));

    assertThat(Stream.generate(addresses::take).limit(1000))
        .doesNotHaveDuplicates()
        .allMatch(
            address -> address.matches("127\\.(6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.\\d+\\.\\d+"))
        .noneMatch(address -> address.endsWith(".0") || address.endsWith(".255"));
  }

  @Test
  void anAddressIsNotUsedAgainSoon() {
    PodAddresses addresses = new PodAddresses(new Random(1));
    String first = addresses.take();
    addresses.giveBack(first);

    assertThat(Stream.generate(addresses::take).limit(100)).doesNotContain(first);
  }
}
