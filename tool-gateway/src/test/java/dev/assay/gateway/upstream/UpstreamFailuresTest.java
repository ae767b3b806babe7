package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.upstream.UpstreamHttpClient.NoMemoryException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class UpstreamFailuresTest {
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

  @Test
  void aResponseForWhichTheGatewayHasNoMemoryIsNoErrorOfTheServer() {
    UpstreamException error =
        UpstreamFailures.of("tools.example", new NoMemoryException(), 200, true);
    assertThat(error.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
    assertThat(error.sent()).isEqualTo(Sent.YES);
    assertThat(error).hasMessageStartingWith("The tool gateway had no memory");
  }
}
