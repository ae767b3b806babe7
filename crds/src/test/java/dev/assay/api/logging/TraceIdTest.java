package dev.assay.api.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

class TraceIdTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00 ",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
      })
  void theTraceOfAValidHeaderIsTaken(String header) {
    assertThat(TraceId.ofParent(header)).contains(TRACE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nforged"
      })
  void anInvalidHeaderHasNone(String header) {
    assertThat(TraceId.ofParent(header)).isEmpty();
    assertThat(TraceId.valid(TraceId.ofParentOrNew(header))).isPresent();
  }

  @Test
  void aNewTraceIsValidAndAnother() {
    assertThat(TraceId.valid(TraceId.random())).isPresent();
    assertThat(TraceId.random()).isNotEqualTo(TraceId.random());
    assertThat(TraceId.valid("x".repeat(32))).isEmpty();
    assertThat(TraceId.ofParent(null)).isEmpty();
  }

  @Test
  void whatLinesAreAboutIsForgottenAtTheEnd() {
    try (LogContext _ = LogContext.open().run("a", "b").caller(null).trace(TRACE)) {
      assertThat(MDC.getCopyOfContextMap())
          .containsOnly(Map.entry("run", "a/b"), Map.entry("trace", TRACE));
    }
    assertThat(MDC.get("run")).isNull();
  }
}
