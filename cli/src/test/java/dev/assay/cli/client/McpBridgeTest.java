package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.cli.client.FakeApi.Answer;
import dev.assay.cli.client.McpService.NotStartedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class McpBridgeTest {
  private static final String CANCELLATION =
      "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}";

  private final FakeApi api = new FakeApi();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aRequestIsAnsweredOnOneLine() throws Exception {
    api.on("POST /mcp", 200, "{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{}}");
    assertThat(through("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"))
        .containsExactly("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assertThat(api.asked()).hasSize(1);
  }

  @Test
  void messagesOfAStreamComeOneByOne() throws Exception {
    api.on(
        "POST /mcp",
        new Answer(
            200,
            "text/event-stream",
            """
            : hello

            event: message
            data: {"method":"notifications/progress"}

            data: {"id":1,
            data: "result":{}}

            """));
    assertThat(through("{\"id\":1,\"method\":\"tools/call\"}"))
        .containsExactly("{\"method\":\"notifications/progress\"}", "{\"id\":1,\"result\":{}}");
  }

  @Test
  void aNotificationHasNoAnswer() throws Exception {
    api.on("POST /mcp", 202, "");
    assertThat(through("{\"method\":\"notifications/initialized\"}")).isEmpty();
  }

  @Test
  void aRequestThatIsRefusedIsAnsweredAllTheSame() throws Exception {
    api.on("POST /mcp", 502, "<html>");
    assertThat(through("{\"id\":\"a\",\"method\":\"ping\"}"))
        .singleElement()
        .asString()
        .contains("\"id\":\"a\"")
        .contains("answered 502 and is perhaps not Assay");
  }

  @Test
  void aRefusalKeepsTheEndpointsOwnWordsAndCode() throws Exception {
    api.on(
        "POST /mcp",
        429,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"retry\"}}");
    assertThat(through("{\"id\":7,\"method\":\"tools/call\"}"))
        .containsExactly(
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32000,\"message\":\"retry\"}}");
  }

  @Test
  void aMissingKeyIsToldWithTheRemedy() throws Exception {
    api.on("POST /mcp", 401, "{\"error\":{\"code\":-32000,\"message\":\"a key is needed\"}}");
    assertThat(through("{\"id\":7,\"method\":\"ping\"}"))
        .singleElement()
        .asString()
        .contains("a key is needed (ASSAY_API_KEY");
  }

  @Test
  void theSessionOfInitializeComesBackWithEachLaterMessage() throws Exception {
    api.on(
        "POST /mcp",
        new Answer(200, "application/json", "{\"id\":0,\"result\":{}}")
            .with("Mcp-Session-Id", "of-this-client"));
    var unused =
        through(
            "{\"id\":0,\"method\":\"initialize\"}\n{\"id\":0,\"method\":\"ping\"}\n"
                + "{\"method\":\"notifications/initialized\"}");
    assertThat(api.asked())
        .extracting(FakeApi.Asked::session)
        .containsExactly("", "of-this-client", "of-this-client");
  }

  @Test
  void aReplyIsWrittenInUtf8WhateverTheLocaleIs() throws Exception {
    api.on("POST /mcp", 200, "{\"id\":1,\"result\":{\"text\":\"größe 表\"}}");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, US_ASCII);
    bridge(Endpoint.of(api.address(), null), out)
        .run(in("{\"id\":1,\"method\":\"ping\"}"), CompletableFuture::new);
    assertThat(bytes.toString(UTF_8)).contains("größe 表");
  }

  @Test
  void aStreamThatEndsWithoutTheReplyIsAnsweredAllTheSame() throws Exception {
    api.on("POST /mcp", new Answer(200, "text/event-stream", "data: {\"method\":\"m\"}\n\n"));
    assertThat(through("{\"id\":7,\"method\":\"tools/call\"}"))
        .hasSize(2)
        .last()
        .asString()
        .contains("\"id\":7", "sent no reply");
  }

  @Test
  void aLineThatIsNotJsonIsAnswered() throws Exception {
    assertThat(through("hello")).singleElement().asString().contains("-32700");
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void whileCodeCannotRunACallOfAToolFailsAndAllElseIsAnswered() throws Exception {
    api.on("POST /mcp", 200, "{\"id\":1,\"result\":{}}");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LateService noCode = new LateService(Endpoint.of(api.address(), null));
    noCode.obstacle.complete("not yet");
    noCode.startNow();
    new McpBridge(noCode, out)
        .run(in("{\"id\":1,\"method\":\"tools/list\"}"), CompletableFuture::new);
    new McpBridge(noCode, out)
        .run(in("{\"id\":2,\"method\":\"tools/call\"}"), CompletableFuture::new);
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "{\"id\":1,\"result\":{}}",
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"isError\":true,"
                + "\"content\":[{\"type\":\"text\",\"text\":\"not yet\"}]}}");
  }

  @Test
  void aClientThatIsGoneAfterTheEndOfTheInputIsNotWaitedFor() throws Exception {
    api.on("POST /mcp", Answer.unending(""));
    bridge(Endpoint.of(api.address(), null), new ByteArrayOutputStream())
        .run(
            in("{\"id\":1,\"method\":\"tools/call\"}"),
            () -> CompletableFuture.completedFuture("gone"));
  }

  @Test
  void theCallsOfAClientThatIsGoneAreCancelled() throws Exception {
    api.on("POST /mcp", Answer.unansweredCall(), new Answer(202, "application/json", ""));
    CompletableFuture<String> begun = new CompletableFuture<>();
    OutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public void flush() {
            begun.complete("the endpoint works on the call");
          }
        };
    bridge(Endpoint.of(api.address(), null), out)
        .run(in("{\"id\":\"a\",\"method\":\"tools/call\"}"), () -> begun);
    assertThat(api.asked())
        .extracting(FakeApi.Asked::body)
        .containsExactly(
            "{\"id\":\"a\",\"method\":\"tools/call\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                + "\"params\":{\"reason\":\"the client is gone\",\"requestId\":\"a\"}}");
  }

  @Test
  void afterTheCancellationNoCallIsSent() throws Exception {
    McpBridge bridge = bridge(Endpoint.of(api.address(), null), new ByteArrayOutputStream());
    bridge.cancelPending();
    bridge.run(in("{\"id\":1,\"method\":\"tools/call\"}"), CompletableFuture::new);
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void whatCanBeAnsweredEarlyWaitsForNothingAndTheStartComesAfterIt() throws Exception {
    LateService service = new LateService(Endpoint.of(api.address(), null));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    service.whenStarted = () -> assertThat(out.toString(UTF_8)).contains("\"early\"");
    new McpBridge(service, out)
        .run(in("{\"id\":0,\"method\":\"initialize\"}"), CompletableFuture::new);
    assertThat(out.toString(UTF_8).lines()).containsExactly("{\"id\":0,\"result\":\"early\"}");
    assertThat(service.starts).isOne();
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void theEndpointThatComesUpLaterGetsTheHandshakeBeforeTheFirstCall() throws Exception {
    api.on(
        "POST /mcp",
        new Answer(200, "application/json", "{\"id\":0,\"result\":{}}")
            .with("Mcp-Session-Id", "of-this-client"),
        new Answer(200, "application/json", "{\"id\":1,\"result\":{}}"));
    LateService service = new LateService(Endpoint.of(api.address(), null));
    service.whenStarted = service::startNow;
    service.obstacle.complete("");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new McpBridge(service, out)
        .run(
            in("{\"id\":0,\"method\":\"initialize\"}\n{\"id\":1,\"method\":\"tools/call\"}"),
            CompletableFuture::new);
    assertThat(out.toString(UTF_8).lines())
        .containsExactly("{\"id\":0,\"result\":\"early\"}", "{\"id\":1,\"result\":{}}");
    assertThat(api.asked())
        .extracting(FakeApi.Asked::body, FakeApi.Asked::session)
        .containsExactly(
            tuple("{\"id\":0,\"method\":\"initialize\"}", ""),
            tuple("{\"id\":1,\"method\":\"tools/call\"}", "of-this-client"));
  }

  @Test
  void whatAnEndpointThatCouldNotBeStartedWasAskedFails() throws Exception {
    LateService service = new LateService(Endpoint.of(api.address(), null));
    service.endpoint.completeExceptionally(new NotStartedException("the disk is full"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new McpBridge(service, out)
        .run(in("{\"id\":3,\"method\":\"resources/list\"}"), CompletableFuture::new);
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":"
                + "{\"code\":-32603,\"message\":\"the disk is full\"}}");
  }

  @Test
  void aCallThatIsCancelledIsNotAnswered() throws Exception {
    PipedOutputStream client = new PipedOutputStream();
    try (PipedInputStream in = new PipedInputStream(client)) {
      CompletableFuture<String> cancellation = new CompletableFuture<>();
      api.onCall(
          "POST /mcp",
          body -> {
            if (body.contains("notifications/cancelled")) {
              cancellation.complete(body);
              return new Answer(202, "application/json", "");
            }
            client.write((CANCELLATION + "\n").getBytes(UTF_8));
            client.close();
            cancellation.join();
            return new Answer(200, "application/json", "{\"id\":1,\"result\":{}}");
          });
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      client.write("{\"id\":1,\"method\":\"tools/call\"}\n".getBytes(UTF_8));
      bridge(Endpoint.of(api.address(), null), out).run(in, CompletableFuture::new);
      assertThat(out.toString(UTF_8)).isEmpty();
      assertThat(cancellation).isCompletedWithValue(CANCELLATION);
    }
  }

  @Test
  void aCallThatIsCancelledBeforeTheEndpointServesIsNotSent() throws Exception {
    LateService service = new LateService(Endpoint.of(api.address(), null));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CompletableFuture<String> atTheEnd = new CompletableFuture<>();
    new McpBridge(service, out)
        .run(
            in("{\"id\":1,\"method\":\"tools/call\"}\n" + CANCELLATION),
            () -> {
              service.obstacle.complete("");
              service.startNow();
              return atTheEnd;
            });
    assertThat(out.toString(UTF_8)).isEmpty();
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void aCancellationOfNothingIsNotForwarded() throws Exception {
    assertThat(through(CANCELLATION + "\n" + CANCELLATION)).isEmpty();
    assertThat(api.asked()).isEmpty();
  }

  @Test
  void aRequestThatNobodyHearsIsAnsweredAllTheSame() throws Exception {
    String address = api.address();
    api.close();
    assertThat(through(Endpoint.of(address, null), "{\"id\":7,\"method\":\"ping\"}"))
        .singleElement()
        .asString()
        .contains("\"id\":7")
        .contains("assay local");
  }

  @Test
  void theKeyGoesWithEachMessage() throws Exception {
    api.on("POST /mcp", 202, "");
    assertThat(through(Endpoint.of(api.address(), "k"), "{\"method\":\"a\"}\n\n{\"method\":\"b\"}"))
        .isEmpty();
    assertThat(api.asked()).extracting(FakeApi.Asked::key).containsExactly("Bearer k", "Bearer k");
  }

  private List<String> through(String input) throws Exception {
    return through(Endpoint.of(api.address(), null), input);
  }

  private static List<String> through(Endpoint endpoint, String input) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    bridge(endpoint, out).run(in(input), CompletableFuture::new);
    return out.toString(UTF_8).lines().toList();
  }

  private static McpBridge bridge(Endpoint endpoint, OutputStream out) {
    return new McpBridge(McpService.at(endpoint), out);
  }

  private static InputStream in(String input) {
    return new ByteArrayInputStream(input.getBytes(UTF_8));
  }

  /** An endpoint that comes up when a test wants it to. */
  private static final class LateService implements McpService {
    final CompletableFuture<Endpoint> endpoint = new CompletableFuture<>();
    final CompletableFuture<String> obstacle = new CompletableFuture<>();
    int starts;
    Runnable whenStarted = () -> {};
    private final Endpoint later;

    LateService(Endpoint later) {
      this.later = later;
    }

    void startNow() {
      endpoint.complete(later);
    }

    @Override
    public void start() {
      starts++;
      whenStarted.run();
    }

    @Override
    public Optional<JsonNode> earlyReply(String message) {
      return message.contains("initialize") && !serves()
          ? Optional.of(JsonMapper.shared().readTree("{\"id\":0,\"result\":\"early\"}"))
          : Optional.empty();
    }

    @Override
    public boolean serves() {
      return endpoint.isDone();
    }

    @Override
    public Endpoint endpoint() throws NotStartedException, InterruptedException {
      try {
        return endpoint.get();
      } catch (ExecutionException e) {
        throw (NotStartedException) e.getCause();
      }
    }

    @Override
    public Optional<String> obstacle() {
      String reason = obstacle.join();
      return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
    }
  }
}
