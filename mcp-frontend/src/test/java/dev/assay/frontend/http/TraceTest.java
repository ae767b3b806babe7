package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.assay.api.logging.TraceId;
import dev.assay.frontend.TestEndpoint;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TraceTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String RUNS = "/api/v1/runs";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Logger audit = (Logger) LoggerFactory.getLogger("assay.audit");
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();

  @BeforeEach
  void listen() {
    audit.setLevel(Level.INFO);
    written.start();
    audit.addAppender(written);
  }

  @AfterEach
  void close() {
    audit.detachAppender(written);
    audit.setLevel(null);
    endpoint.close();
    http.shutdownNow();
  }

  private String traceOfRun(String traceparent) throws Exception {
    HttpRequest request =
        endpoint
            .request(RUNS, "{\"code\": \"1\"}")
            .header("Authorization", "Bearer alice-key")
            .header("traceparent", traceparent)
            .build();
    assertThat(http.send(request, BodyHandlers.ofString(UTF_8)).statusCode()).isEqualTo(201);
    return endpoint.runs.created.getLast().getMetadata().getAnnotations().get(TraceId.ANNOTATION);
  }

  private List<JsonNode> lines() {
    return written.list.stream()
        .map(event -> JsonMapper.shared().readTree(event.getFormattedMessage()))
        .filter(line -> TRACE.equals(line.path("trace").asString("")))
        .toList();
  }

  @Test
  void theTraceOfARequestIsThatOfItsRunAndOfItsLine() throws Exception {
    assertThat(traceOfRun("00-" + TRACE + "-00f067aa0ba902b7-01")).isEqualTo(TRACE);
    await(() -> !lines().isEmpty());
    assertThat(lines())
        .singleElement()
        .satisfies(
            line -> {
              assertThat(line.path("caller").asString("")).isEqualTo("alice");
              assertThat(line.path("rest").asString("")).isEqualTo("POST " + RUNS);
              assertThat(line.path("location").asString("")).startsWith(RUNS + "/");
              assertThat(line.path("status").asInt(0)).isEqualTo(201);
              assertThat(line.toString()).doesNotContain("alice-key", "\"1\"");
            });
  }

  @Test
  void anInvalidTraceIsReplaced() throws Exception {
    String replaced = traceOfRun("00-" + TRACE + "-0000000000000000-01");
    assertThat(TraceId.valid(replaced)).isPresent();
    assertThat(replaced).isNotEqualTo(TRACE);
  }
}
