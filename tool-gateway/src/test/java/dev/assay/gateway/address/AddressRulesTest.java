package dev.assay.gateway.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRulesTest {
  private static final AddressRules STRICT = new AddressRules(List.of(), List.of());

  private static Optional<String> refusal(AddressRules rules, String address) {
    return rules.refusal(InetAddress.ofLiteral(address));
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, loopback",
    "127.255.255.254, loopback",
    "::1, loopback",
    "::ffff:127.0.0.1, loopback",
    "::127.0.0.1, loopback",
    "64:ff9b::7f00:1, loopback",
    "2002:7f00:1::, loopback",
    "10.0.0.1, private",
    "172.16.0.1, private",
    "172.31.255.255, private",
    "192.168.1.1, private",
    "100.64.0.1, private",
    "198.18.0.1, private",
    "198.19.255.255, private",
    "fd12::1, private",
    "64:ff9b::a00:1, private",
    "169.254.169.254, link-local",
    "169.254.0.1, link-local",
    "64:ff9b::a9fe:a9fe, link-local",
    "fe80::1, link-local",
    "fd00:ec2::254, metadata",
    "fd20:ce::254, metadata",
    "168.63.129.16, metadata",
    "64:ff9b:1::a9fe:a9fe, private",
    "100.100.100.200, metadata",
    "0.0.0.0, no server",
    "0.1.2.3, no server",
    "224.0.0.1, no server",
    "255.255.255.255, no server",
    "::, no server",
    "ff02::1, no server"
  })
  void anAddressThatIsNotPublicIsRefused(String address, String why) {
    assertThat(refusal(STRICT, address)).get().asString().contains(why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "172.32.0.1",
        "100.128.0.1",
        "198.20.0.1",
        "2606:4700::1111",
        "9.9.9.9"
      })
  void aPublicAddressIsNotRefused(String address) {
    assertThat(refusal(STRICT, address)).isEmpty();
  }

  @Test
  void anAllowedRangeMayBePrivateOrLoopback() {
    AddressRules rules =
        new AddressRules(
            List.of(AddressRange.parse("10.96.0.0/12"), AddressRange.parse("127.0.0.1")),
            List.of());
    assertThat(refusal(rules, "10.100.0.1")).isEmpty();
    assertThat(refusal(rules, "127.0.0.1")).isEmpty();
    assertThat(refusal(rules, "10.0.0.1")).isPresent();
    assertThat(refusal(rules, "127.0.0.2")).isPresent();
  }

  @Test
  void linkLocalMetadataAndDeniedAddressesAreRefusedWhateverIsAllowed() {
    AddressRules rules =
        new AddressRules(
            List.of(AddressRange.parse("0.0.0.0/0"), AddressRange.parse("::/0")),
            List.of(AddressRange.parse("10.96.0.1")));
    assertThat(refusal(rules, "169.254.169.254")).isPresent();
    assertThat(refusal(rules, "fd00:ec2::254")).isPresent();
    assertThat(refusal(rules, "10.96.0.1")).get().asString().contains("API server");
    assertThat(refusal(rules, "10.96.0.2")).isEmpty();
  }
}
