package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.upstream.UpstreamHttpClient.NoMemoryException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UpstreamFailuresTest {
  private static final Path PAGE = Path.of("../docs/tool-servers.md");

  static Stream<IOException> failuresToConnect() {
    return Stream.of(new ConnectException("x"), new SSLHandshakeException("x"));
  }

  /** With TLS 1.3 a server may refuse the client after its request. */
  @ParameterizedTest
  @MethodSource("failuresToConnect")
  void onceARequestIsBeingSentNoFailureSaysThatItWasNot(IOException failure) {
    assertThat(UpstreamFailures.of("tools.example", failure, 0, false).sent()).isEqualTo(Sent.NO);
    assertThat(UpstreamFailures.of("tools.example", failure, 0, true).sent())
        .isEqualTo(Sent.UNKNOWN);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void aServerThatCannotBeReachedHasTheMessageOfThePage(IOException failure, String message)
      throws IOException {
    assertThat(UpstreamFailures.of("tools.example", failure, 0, false)).hasMessage(message);
    assertThat(Files.readString(PAGE)).contains("| `" + message + "` |");
  }

  static Stream<Arguments> messages() {
    return Stream.of(
        arguments(new UnknownHostException("x"), "The name of the server cannot be resolved."),
        arguments(new ConnectException("x"), "The server does not accept connections."),
        arguments(new HttpConnectTimeoutException("x"), "The server does not accept connections."),
        arguments(
            new SSLHandshakeException("x"), "The server has no certificate that is trusted."));
  }

  /** Servers close a connection on which the gateway has not read for too long. */
  @Test
  void aConnectionThatIsLostDuringAResponseIsNoErrorOfTheServer() {
    UpstreamException error =
        UpstreamFailures.of("tools.example", new EOFException("EOF reached"), 200, true);
    assertThat(error.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
    assertThat(error.sent()).isEqualTo(Sent.YES);
    assertThat(error).hasMessage("The connection to the server was lost.");
  }

  @Test
  void aResponseForWhichTheGatewayHasNoMemoryIsNoErrorOfTheServer() {
    UpstreamException error =
        UpstreamFailures.of("tools.example", new NoMemoryException(), 200, true);
    assertThat(error.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
    assertThat(error.sent()).isEqualTo(Sent.YES);
    assertThat(error).hasMessageStartingWith("The tool gateway had no memory");
  }
}
