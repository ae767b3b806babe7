package dev.assay.cli.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrowserGuardTest {
  private static final BrowserGuard LOOPBACK = new BrowserGuard(InetAddress.ofLiteral("127.0.0.1"));
  private static final String HOST = "127.0.0.1:8000";

  private static Headers headers(String... namesAndValues) {
    Headers headers = new Headers();
    for (int at = 0; at < namesAndValues.length; at += 2) {
      headers.set(namesAndValues[at], namesAndValues[at + 1]);
    }
    return headers;
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://attacker.example", "null", "http://127.0.0.1:8000", ""})
  void aRequestWithAnOriginIsForbiddenAtAnyAddress(String origin) {
    for (String address : List.of("127.0.0.1", "0.0.0.0")) {
      BrowserGuard guard = new BrowserGuard(InetAddress.ofLiteral(address));
      for (String method : List.of("GET", "POST", "DELETE", "OPTIONS")) {
        assertThat(
                guard.refusal(
                    method,
                    headers("Host", HOST, "Content-Type", "application/json", "Origin", origin)))
            .hasValue(403);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.1:8000",
    "127.0.0.1, LOCALHOST:8000",
    "127.0.0.1, localhost",
    "127.0.0.1, [::1]:8000",
    "::1, [::1]",
    "127.0.0.2, 127.0.0.2:8000",
    "0.0.0.0, files.tools.svc:8000",
    "10.0.0.7, files.tools.svc:8000"
  })
  void anAddressIsAskedByItsNames(String address, String host) {
    BrowserGuard guard = new BrowserGuard(InetAddress.ofLiteral(address));
    assertThat(guard.refusal("GET", headers("Host", host))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"attacker.example", "attacker.example:8000", "localhost.attacker.example"})
  void aLoopbackAddressIsNotAskedByOtherNames(String host) {
    for (String address : List.of("127.0.0.1", "127.0.0.2", "::1")) {
      BrowserGuard guard = new BrowserGuard(InetAddress.ofLiteral(address));
      assertThat(guard.refusal("GET", headers("Host", host))).hasValue(403);
    }
  }

  @Test
  void aLoopbackAddressIsNotAskedWithoutAHost() {
    assertThat(LOOPBACK.refusal("GET", new Headers(Map.of()))).hasValue(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"application/json", "application/json; charset=utf-8", "Application/JSON ;a=b"})
  void jsonIsPosted(String type) {
    assertThat(LOOPBACK.refusal("POST", headers("Host", HOST, "Content-Type", type))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "text/plain; application/json", "application/json-seq", ""})
  void anotherTypeIsNotPosted(String type) {
    assertThat(LOOPBACK.refusal("POST", headers("Host", HOST, "Content-Type", type))).hasValue(415);
  }

  @Test
  void aPostHasAType() {
    assertThat(LOOPBACK.refusal("POST", headers("Host", HOST))).hasValue(415);
  }
}
