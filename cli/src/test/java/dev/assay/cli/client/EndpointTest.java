package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8787, http://127.0.0.1:8787",
    "http://127.0.0.1:8787/, http://127.0.0.1:8787",
    "https://assay.example/mcp, https://assay.example",
    "https://example.org/assay/mcp/, https://example.org/assay"
  })
  void isUnderstoodAsPeopleWriteIt(String written, String uri) {
    assertThat(Endpoint.of(written, null).uri()).hasToString(uri);
  }

  @ParameterizedTest
  @ValueSource(strings = {"assay.example", "ftp://assay.example", "http:///mcp", "not an address"})
  void whatIsNoAddressIsRefused(String written) {
    assertThatIllegalArgumentException().isThrownBy(() -> Endpoint.of(written, null));
  }

  @Test
  void theLocalKeyGoesOnlyWhereThisUserListens() throws Exception {
    boolean tells = Files.exists(Path.of("/proc/net/tcp"));
    Endpoint endpoint;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      endpoint =
          Endpoint.of("http://127.0.0.1:" + socket.getLocalPort(), null).withLocalKey("s3cret");
      assertThat(keyOf(endpoint)).contains("Bearer s3cret");
    }
    assertThat(keyOf(endpoint).isEmpty()).isEqualTo(tells);
  }

  @Test
  void aKeyThatWasGivenGoesToWhomeverListens() {
    assertThat(keyOf(Endpoint.of("http://127.0.0.1:1", "s3cret"))).contains("Bearer s3cret");
  }

  private static Optional<String> keyOf(Endpoint endpoint) {
    return endpoint.request("/mcp").build().headers().firstValue("Authorization");
  }

  @Test
  void aKeyIsNotInTheTextOfIt() {
    assertThat(Endpoint.of("http://127.0.0.1:1", "very-secret").toString())
        .doesNotContain("very-secret");
  }
}
