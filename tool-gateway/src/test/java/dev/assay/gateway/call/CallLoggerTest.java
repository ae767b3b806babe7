package dev.assay.gateway.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.definition.Json;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log has of a call, and what it has not. */
class CallLoggerTest {
  private static final String RUN = "run-of-a-line";
  private static final String ARGUMENTS = "{\"a\":\"of the script\"}";

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.assay.gateway.calls");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  @Test
  void aCallIsOneLineOfJsonWithoutArgumentsAndResult() {
    CallReply outcome =
        new CallReply(
            true,
            "\"the value\"".getBytes(UTF_8),
            "{\"content\":[]}".getBytes(UTF_8),
            null,
            null,
            Sent.YES,
            12,
            true);

    assertThat(Json.MAPPER.readTree(line("tools", "find", outcome)))
        .isEqualTo(
            Json.MAPPER.readTree(
                """
                {"time": "1970-01-01T00:00:00Z", "run": "run-of-a-line", "call": 7,
                 "namespace": "team", "server": "tools", "tool": "find", "digest": "d1",
                 "argumentBytes": 21, "resultBytes": 25, "outcome": "OK", "sent": "yes",
                 "millis": 12}
                """));
  }

  @Test
  void anErrorHasItsCodeAndNoMessageAndNamesMakeNoLinesOfTheirOwn() {
    CallReply outcome =
        CallReply.failed(CallCode.UPSTREAM_TIMEOUT, "words of the server", Sent.UNKNOWN, 3, null);

    assertThat(line("to\nols", "fi\u202end" + "x".repeat(1000), outcome))
        .contains("\"outcome\":\"UPSTREAM_TIMEOUT\"", "\"sent\":\"unknown\"")
        .doesNotContain("words", "\n", "\\n", "\u202e")
        .hasSizeLessThan(500);
  }

  private String line(String server, String tool, CallReply outcome) {
    CallRequest request =
        new CallRequest(
            "team", server, tool, ARGUMENTS, "d1", Duration.ofSeconds(1), 1000, null, null);
    new CallLogger().write(Instant.EPOCH, RUN, 7, request, ARGUMENTS.length(), outcome);
    // Other tests may write to the log, too, and the appender is locked meanwhile.
    synchronized (log) {
      return log.list.stream()
          .map(ILoggingEvent::getFormattedMessage)
          .filter(line -> line.contains(RUN))
          .findFirst()
          .orElseThrow();
    }
  }
}
