package dev.assay.api.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogFormatTest {
  private static final String FORGED =
      "one\n2026-01-01T00:00:00Z ERROR forged \u001b[31mred\r\"quoted\" \\ \u0000";

  private static String line(
      String format, String message, Map<String, String> mdc, @Nullable Throwable failure)
      throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        new ByteArrayInputStream(
            """
            <configuration>
              <include resource="dev/assay/api/logging/%s.xml"/>
              <root level="INFO"><appender-ref ref="out"/></root>
            </configuration>
            """
                .formatted(format)
                .getBytes(UTF_8)));
    var appender = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("out");
    LoggingEvent event =
        new LoggingEvent(
            "fqcn", context.getLogger("dev.assay.Test"), Level.WARN, message, failure, null);
    event.setMDCPropertyMap(mdc);
    return new String(appender.getEncoder().encode(event), UTF_8);
  }

  private static JsonNode json(String line) throws Exception {
    assertThat(line.lines()).hasSize(1);
    assertThat(line.strip().chars()).allMatch(character -> character >= ' ');
    return new ObjectMapper().readTree(line);
  }

  @Test
  void aLineOfJsonIsOneObjectWhateverTheMessageBrings() throws Exception {
    JsonNode event = json(line("json", FORGED, Map.of("caller", FORGED, "run", "a/b"), null));
    assertThat(event.path("formattedMessage").asText()).isEqualTo(FORGED);
    assertThat(event.path("mdc").path("caller").asText()).isEqualTo(FORGED);
    assertThat(event.path("mdc").path("run").asText()).isEqualTo("a/b");
    assertThat(event.path("level").asText()).isEqualTo("WARN");
    assertThat(event.path("loggerName").asText()).isEqualTo("dev.assay.Test");
    assertThat(event.path("timestamp").isIntegralNumber()).isTrue();
  }

  @Test
  void aLineOfJsonHasTheStackOfAFailure() throws Exception {
    JsonNode event = json(line("json", "failed", Map.of(), new IllegalStateException("no\nway")));
    assertThat(event.path("throwable").path("message").asText()).isEqualTo("no\nway");
    assertThat(event.path("throwable").path("stepArray")).isNotEmpty();
  }

  @Test
  void aLineOfTextIsOneLineWhateverTheMessageBrings() throws Exception {
    String line = line("text", FORGED, Map.of("caller", FORGED), null);
    assertThat(line.lines()).hasSize(1);
    assertThat(line).contains("WARN ", "one 2026", " [caller=one 2026").doesNotContain("\u001b");
  }

  @Test
  void aLineOfTextAboutNothingEndsWithItsMessage() throws Exception {
    assertThat(line("text", "started", Map.of(), null)).endsWith("started\n");
  }

  @Test
  void theMessageOfAFailureForgesNoLineOfText() throws Exception {
    List<String> lines =
        line(
                "text",
                "failed",
                Map.of(),
                new IllegalStateException(
                    "no\n2026 ERROR forged\r\u001b[2K\u0085x\u2028y",
                    new RuntimeException("cause")))
            .lines()
            .toList();
    assertThat(lines.get(1)).contains("no 2026 ERROR forged");
    assertThat(lines).noneMatch(line -> line.startsWith("2026 ERROR"));
    assertThat(String.join("", lines)).doesNotContain("\u001b", "\r", "\u0085", "\u2028");
    assertThat(lines).anyMatch(line -> line.startsWith("\tat "));
    assertThat(lines).anyMatch(line -> line.startsWith("Caused by: "));
  }
}
