package dev.assay.gateway.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolverProvider;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedNamesTest {
  private static final AddressRules STRICT = new AddressRules(List.of(), List.of());

  private static void resolve(String host, String... addresses) throws UnknownHostException {
    GuardedNames.check(host, Stream.of(addresses).map(InetAddress::ofLiteral).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "[::1]",
        "169.254.169.254",
        "[::ffff:10.0.0.1]",
        "localhost",
        "LocalHost",
        "localhost."
      })
  void anAddressIsCheckedAtOnce(String host) {
    assertThatThrownBy(() -> GuardedNames.guard(host, STRICT))
        .isInstanceOf(RefusedAddressException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0010.96.0.1",
        "0127.0.0.1",
        "010.0.0.1",
        "1.1.1.01",
        "2130706433",
        "127.1",
        "127.0.0.1.",
        "256.0.0.1",
        "..."
      })
  void anAddressInAnUnusualFormIsNoName(String host) {
    assertThatThrownBy(() -> GuardedNames.guard(host, STRICT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNameIsCheckedWheneverItIsResolved() throws Exception {
    GuardedNames.guard("tools.guarded.example", STRICT);
    resolve("tools.guarded.example", "1.1.1.1");
    assertThatThrownBy(() -> resolve("TOOLS.guarded.example.", "10.0.0.1"))
        .isInstanceOf(RefusedAddressException.class)
        .hasMessageStartingWith("TOOLS.guarded.example. resolves to a private address")
        .hasMessageContaining("toolGateway.allowedAddresses");
  }

  @Test
  void theLastLookupTellsWhetherANameIsRefused() throws Exception {
    GuardedNames.guard("moves.guarded.example", STRICT);
    assertThat(GuardedNames.lastRefusal("moves.guarded.example")).isEmpty();
    assertThatThrownBy(() -> resolve("moves.guarded.example", "10.0.0.1"))
        .isInstanceOf(RefusedAddressException.class);
    assertThat(GuardedNames.lastRefusal("Moves.guarded.example."))
        .get()
        .extracting(Throwable::getMessage)
        .asString()
        .startsWith("moves.guarded.example resolves to a private address");
    resolve("moves.guarded.example", "1.1.1.1");
    assertThat(GuardedNames.lastRefusal("moves.guarded.example")).isEmpty();
  }

  @Test
  void oneRefusedAddressOfManyRefusesTheName() throws Exception {
    GuardedNames.guard("many.guarded.example", STRICT);
    assertThatThrownBy(() -> resolve("many.guarded.example", "1.1.1.1", "127.0.0.1"))
        .isInstanceOf(RefusedAddressException.class);
  }

  @Test
  void noToolServerHasTheNameOfTheApiServer() {
    GuardedNames.reserve("api.guarded.example");
    assertThatThrownBy(() -> GuardedNames.guard("API.guarded.example.", STRICT))
        .isInstanceOf(RefusedAddressException.class)
        .hasMessage("API.guarded.example. is the host of the cluster's API server");
    assertThatCode(() -> resolve("api.guarded.example", "10.0.0.1")).doesNotThrowAnyException();
  }

  @Test
  void theAddressOfAnApiServerIsLeftToTheRules() {
    AddressRules loopback = new AddressRules(List.of(AddressRange.parse("127.0.0.0/8")), List.of());
    GuardedNames.reserve("127.0.0.1");
    GuardedNames.reserve("localhost");
    assertThatCode(() -> GuardedNames.guard("127.0.0.1", loopback)).doesNotThrowAnyException();
    assertThatCode(() -> GuardedNames.guard("localhost", loopback)).doesNotThrowAnyException();
  }

  @Test
  void otherNamesResolveAsEver() {
    assertThatCode(() -> resolve("unguarded.example", "10.0.0.1")).doesNotThrowAnyException();
  }

  @Test
  void theJvmResolvesWithIt() {
    assertThat(ServiceLoader.load(InetAddressResolverProvider.class))
        .hasAtLeastOneElementOfType(GuardedResolverProvider.class);
    assertThatCode(GuardedNames::verify).doesNotThrowAnyException();
    assertThatCode(GuardedNames::verify).doesNotThrowAnyException();
  }
}
