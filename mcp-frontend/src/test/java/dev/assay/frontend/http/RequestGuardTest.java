package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestGuardTest {
  private static final RequestGuard GUARD = new RequestGuard(List.of(), List.of("*"));

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:8787", "localhost:8787", "[::1]:8787"})
  void aPageOfTheEndpointItselfMayCallItOnTheLoopbackAddress(String host) {
    assertThat(GUARD.refusal(host, "http://" + host)).isEmpty();
  }

  @Test
  void anotherPortOrSchemeIsAnotherOrigin() {
    assertThat(GUARD.refusal("localhost:8787", "http://localhost:3000")).isPresent();
    assertThat(GUARD.refusal("localhost:8787", "http://127.0.0.1:8787")).isPresent();
    assertThat(GUARD.refusal("localhost:8787", "https://localhost:8787")).isPresent();
    assertThat(GUARD.refusal("localhost:8787", "null")).isPresent();
  }

  @Test
  void aNameThatAnybodyCanPointHereIsNotTheEndpointItself() {
    assertThat(GUARD.refusal("rebound.example:8787", "http://rebound.example:8787")).isPresent();
  }
}
