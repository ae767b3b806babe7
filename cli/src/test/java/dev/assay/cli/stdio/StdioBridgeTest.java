package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class StdioBridgeTest {
  /** Does what its requests say, in the manner of an MCP server. */
  private static final String PROGRAM =
      """
      import json, os, pathlib, subprocess, sys, time

      gate = pathlib.Path(sys.argv[1])
      child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)

      def say(text):
          sys.stdout.write(text + "\\n")
          sys.stdout.flush()

      def reply(message, result):
          say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

      for line in sys.stdin:
          message = json.loads(line)
          method = message.get("method")
          if method == "initialize":
              if gate.exists():
                  gate.open().read()  # A named pipe: waits until the test writes to it.
              reply(message, {"pid": os.getpid(), "child": child.pid, "cwd": os.getcwd(),
                              "variable": os.environ.get("VARIABLE")})
          elif method == "echo":
              reply(message, {"line": line.rstrip("\\n")})
          elif method == "exact":
              say('{"jsonrpc":"2.0","id":%s,"result":{"big":12345678901234567890123,"odd":1.10}, "own":[]}'
                  % json.dumps(message["id"]))
          elif method == "notify":
              say(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
              reply(message, {})
          elif method == "linger":
              reply(message, {})
              time.sleep(600)  # Does not see the end of its input.
          elif method == "die":
              child.kill()
              sys.stderr.write("it has died\\n")
              sys.exit(3)
          elif method == "flood":
              sys.stdout.write("x" * (19 << 20))
              sys.stdout.flush()
      """;

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  /** What a bridge does once the sessions that were opened have to have been used. */
  private final Queue<Runnable> afterFirstUse = new ConcurrentLinkedQueue<>();

  private StdioBridge bridge = newBridge(Duration.ofSeconds(60), StdioBridge.DEFAULT_MAX_SESSIONS);

  private StdioBridge newBridge(Duration patience, int maxSessions) {
    try {
      return new StdioBridge(patience, maxSessions, afterFirstUse::add);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void start() {
    bridge.start();
  }

  @AfterEach
  void close() {
    bridge.close();
    http.shutdownNow();
  }

  private URI offer() {
    return bridge.offer("test", command());
  }

  private StdioCommand command() {
    return new StdioCommand(
        List.of("python3", "-c", PROGRAM, folder.resolve("gate").toString()),
        Map.of("VARIABLE", "value"),
        folder);
  }

  private HttpResponse<String> post(URI url, String session, String message) throws Exception {
    HttpRequest.Builder request = posting(url, message);
    if (!session.isEmpty()) {
      request.header("Mcp-Session-Id", session);
    }
    return http.send(request.build(), BodyHandlers.ofString(UTF_8));
  }

  private static HttpRequest.Builder posting(URI url, String message) {
    return HttpRequest.newBuilder(url)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(message));
  }

  private HttpResponse<String> initialize(URI url, int id) throws Exception {
    return post(
        url,
        "",
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"initialize\",\"params\":{}}".formatted(id));
  }

  private void delete(URI url, String session) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(url).DELETE().header("Mcp-Session-Id", session).build();
    assertThat(http.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(204);
  }

  private static String sessionOf(HttpResponse<?> response) {
    return response.headers().firstValue("Mcp-Session-Id").orElseThrow();
  }

  private static JsonNode json(HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JsonMapper.shared().readTree(response.body());
  }

  private static String request(int id, String method) {
    return "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\"}".formatted(id, method);
  }

  private static ProcessHandle process(JsonNode initialized, String which) {
    return ProcessHandle.of(initialized.at("/result/" + which).asLong()).orElseThrow();
  }

  @Test
  void messagesReachTheProgramAndItsRepliesTheClientAsTheyWereWritten() throws Exception {
    URI url = offer();
    HttpResponse<String> opened = initialize(url, 1);
    String session = sessionOf(opened);
    assertThat(json(opened).at("/result/variable").asString()).isEqualTo("value");
    assertThat(Path.of(json(opened).at("/result/cwd").asString()).toRealPath())
        .isEqualTo(folder.toRealPath());

    String pretty =
        "{\"jsonrpc\": \"2.0\",\n \"id\": \"a\", \"method\": \"echo\",\r\n \"n\": 1.10}";
    assertThat(json(post(url, session, pretty)).at("/result/line").asString())
        .isEqualTo("{\"jsonrpc\": \"2.0\",  \"id\": \"a\", \"method\": \"echo\",   \"n\": 1.10}");
    assertThat(post(url, session, request(2, "exact")).body())
        .isEqualTo(
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"big\":12345678901234567890123,\"odd\":1.10},"
                + " \"own\":[]}");
  }

  @Test
  void aProgramCanBeOfferedAtAPathThatOthersKnow() throws Exception {
    URI url = bridge.offer("/mcp", "test", command());
    assertThat(url.getPath()).isEqualTo("/mcp");
    assertThat(json(initialize(url, 1)).at("/result/variable").asString()).isEqualTo("value");
    assertThat(initialize(url.resolve("/"), 2).statusCode()).isEqualTo(404);
  }

  @Test
  void whatNobodyAskedForIsInTheStream() throws Exception {
    URI url = offer();
    String session = sessionOf(initialize(url, 1));
    HttpResponse<InputStream> stream =
        http.send(
            HttpRequest.newBuilder(url).header("Mcp-Session-Id", session).build(),
            BodyHandlers.ofInputStream());
    assertThat(stream.headers().firstValue("Content-Type")).contains("text/event-stream");
    json(post(url, session, request(2, "notify")));

    try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream.body(), UTF_8))) {
      assertThat(lines.readLine()).startsWith("data: {").contains("tools/list_changed");
    }
  }

  @Test
  void aCancelledRequestIsNotWaitedFor() throws Exception {
    URI url = offer();
    String session = sessionOf(initialize(url, 1));
    CompletableFuture<HttpResponse<String>> silent =
        http.sendAsync(
            posting(url, request(7, "silent")).header("Mcp-Session-Id", session).build(),
            BodyHandlers.ofString());
    int status = 0;
    while (status != 202 || !silent.isDone()) {
      // Until the request is there, there is nothing to cancel.
      status =
          post(
                  url,
                  session,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}")
              .statusCode();
    }
    assertThat(silent.join().body()).isEmpty();
  }

  @Test
  void ofTwoRequestsWithOneIdTheSecondIsRefused() throws Exception {
    URI url = offer();
    String session = sessionOf(initialize(url, 1));
    HttpRequest silent =
        posting(url, request(7, "silent")).header("Mcp-Session-Id", session).build();
    CompletableFuture<HttpResponse<String>> one = http.sendAsync(silent, BodyHandlers.ofString());
    CompletableFuture<HttpResponse<String>> other = http.sendAsync(silent, BodyHandlers.ofString());
    CompletableFuture.anyOf(one, other).join();
    HttpResponse<String> refused = one.isDone() ? one.join() : other.join();
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("A request with the id 7 is in progress");
  }

  @Test
  void aProgramThatHasEndedIsStartedAgainInAnotherSession() throws Exception {
    URI url = offer();
    HttpResponse<String> first = initialize(url, 1);
    ProcessHandle ending = process(json(first), "pid");
    JsonNode error = json(post(url, sessionOf(first), request(2, "die"))).path("error");
    assertThat(error.path("message").asString())
        .isEqualTo("The program of the server has ended (exit code 3)");
    ending.onExit().join();
    assertThat(post(url, sessionOf(first), request(3, "echo")).statusCode()).isEqualTo(404);

    HttpResponse<String> second = initialize(url, 4);
    assertThat(sessionOf(second)).isNotEqualTo(sessionOf(first));
    json(post(url, sessionOf(second), request(5, "echo")));
  }

  @Test
  void aLineWithoutAnEndEndsTheSession() throws Exception {
    URI url = offer();
    String session = sessionOf(initialize(url, 1));

    assertThat(json(post(url, session, request(2, "flood"))).at("/error/message").asString())
        .isEqualTo("The program of the server has ended (a line has more than 18874368 bytes)");
  }

  @Test
  void eachSessionHasAProcessOfItsOwnThatEndsWithIt() throws Exception {
    URI url = offer();
    HttpResponse<String> one = initialize(url, 1);
    HttpResponse<String> other = initialize(url, 1);
    assertThat(process(json(one), "pid")).isNotEqualTo(process(json(other), "pid"));

    ProcessHandle ending = process(json(one), "pid");
    delete(url, sessionOf(one));
    ending.onExit().join();
    json(post(url, sessionOf(other), request(2, "echo")));

    ProcessHandle last = process(json(other), "pid");
    ProcessHandle child = process(json(other), "child");
    bridge.close();
    assertThat(last.isAlive()).isFalse();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aProgramThatIsBeingEndedDoesNotOutliveTheBridge() throws Exception {
    URI url = offer();
    HttpResponse<String> opened = initialize(url, 1);
    ProcessHandle program = process(json(opened), "pid");
    ProcessHandle child = process(json(opened), "child");
    json(post(url, sessionOf(opened), request(2, "linger")));
    delete(url, sessionOf(opened));

    bridge.close();
    assertThat(program.isAlive()).isFalse();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aProgramThatIsBeingStartedDoesNotOutliveTheBridge() throws Exception {
    Path gate = newGate();
    URI url = offer();
    var unused =
        http.sendAsync(posting(url, request(1, "initialize")).build(), BodyHandlers.discarding());
    // Opened as soon as the program reads from it, which then waits for its end.
    try (OutputStream writer = Files.newOutputStream(gate)) {
      ProcessHandle program =
          ProcessHandle.current()
              .children()
              .filter(child -> hasArgument(child, gate.toString()))
              .findFirst()
              .orElseThrow();
      writer.flush();
      bridge.close();
      assertThat(program.isAlive()).isFalse();
    }
  }

  @Test
  void aProgramThatDoesNotReadWhatOpensItsSessionDoesNotOutliveTheBridge() throws Exception {
    String seconds = "601";
    URI url = bridge.offer("test", new StdioCommand(List.of("sleep", seconds), Map.of(), folder));
    // Longer than what a pipe takes.
    String text = "x".repeat(1 << 20);
    var unused =
        http.sendAsync(
            posting(
                    url,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"a\":\"%s\"}}"
                        .formatted(text))
                .build(),
            BodyHandlers.discarding());
    Optional<ProcessHandle> program = Optional.empty();
    while (program.isEmpty()) {
      program =
          ProcessHandle.current()
              .children()
              .filter(child -> hasArgument(child, "sleep " + seconds))
              .findFirst();
    }
    bridge.close();
    assertThat(program.get().isAlive()).isFalse();
  }

  private static boolean hasArgument(ProcessHandle process, String argument) {
    return process.info().commandLine().filter(line -> line.contains(argument)).isPresent();
  }

  private Path newGate() throws Exception {
    Path gate = folder.resolve("gate");
    assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor()).isZero();
    return gate;
  }

  @Test
  void aProgramThatStartsSlowlyIsTakenByTheNextSession() throws Exception {
    bridge.close();
    bridge = newBridge(Duration.ofMillis(200), StdioBridge.DEFAULT_MAX_SESSIONS);
    bridge.start();
    Path gate = newGate();
    URI url = offer();
    assertThat(initialize(url, 1).statusCode()).isEqualTo(503);

    Files.writeString(gate, "open");
    HttpResponse<String> opened = initialize(url, 2);
    while (opened.statusCode() == 503) {
      opened = initialize(url, 2);
    }
    assertThat(json(opened).path("id").asInt()).isEqualTo(2);
    json(post(url, sessionOf(opened), request(3, "echo")));
  }

  @Test
  void asManySessionsAreKeptAsTheBridgeIsTold() throws Exception {
    bridge.close();
    bridge = newBridge(Duration.ofSeconds(60), 1);
    bridge.start();
    URI url = offer();
    HttpResponse<String> first = initialize(url, 1);
    ProcessHandle ending = process(json(first), "pid");

    HttpResponse<String> second = initialize(url, 2);
    ending.onExit().join();
    assertThat(post(url, sessionOf(first), request(3, "echo")).statusCode()).isEqualTo(404);
    json(post(url, sessionOf(second), request(3, "echo")));
  }

  @Test
  void aSessionThatIsNotUsedAfterItsOpeningIsEnded() throws Exception {
    URI url = offer();
    HttpResponse<String> abandoned = initialize(url, 1);
    HttpResponse<String> used = initialize(url, 2);
    ProcessHandle ending = process(json(abandoned), "pid");
    String initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    assertThat(post(url, sessionOf(used), initialized).statusCode()).isEqualTo(202);

    assertThat(afterFirstUse).hasSize(2);
    afterFirstUse.forEach(Runnable::run);
    ending.onExit().join();
    assertThat(post(url, sessionOf(abandoned), request(3, "echo")).statusCode()).isEqualTo(404);
    json(post(url, sessionOf(used), request(3, "echo")));
  }

  @Test
  void noMoreProgramsAreStartedAtOnceThanTwiceTheSessions() throws Exception {
    bridge.close();
    bridge = newBridge(Duration.ofSeconds(60), 1);
    bridge.start();
    Path gate = newGate();
    URI url = offer();
    List<CompletableFuture<HttpResponse<String>>> asked =
        Stream.generate(
                () ->
                    http.sendAsync(
                        posting(url, request(1, "initialize")).build(),
                        BodyHandlers.ofString(UTF_8)))
            .limit(5)
            .toList();
    // Those with a program wait at the gate.
    while (asked.stream().filter(CompletableFuture::isDone).count() < 3) {
      CompletableFuture.anyOf(
              asked.stream().filter(one -> !one.isDone()).toArray(CompletableFuture[]::new))
          .join();
    }
    assertThat(asked.stream().filter(CompletableFuture::isDone))
        .hasSize(3)
        .allSatisfy(one -> assertThat(one.join().statusCode()).isEqualTo(503));
    assertThat(
            ProcessHandle.current().children().filter(child -> hasArgument(child, gate.toString())))
        .hasSize(2);
  }

  @Test
  void aWebPageReachesNothing() throws Exception {
    URI url = bridge.offer("/mcp", "test", command());
    String message = request(1, "initialize");
    assertThat(status(posting(url, message).header("Origin", "http://" + url.getAuthority())))
        .isEqualTo(403);
    assertThat(status(HttpRequest.newBuilder(url).DELETE().header("Origin", "null")))
        .isEqualTo(403);
    assertThat(
            status(
                HttpRequest.newBuilder(url)
                    .header("Content-Type", "text/plain")
                    .POST(BodyPublishers.ofString(message))))
        .isEqualTo(415);
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      // Java's client does not send the name of another host.
      String request =
          "POST /mcp HTTP/1.1\r\nHost: attacker.example:%d\r\nContent-Type: application/json\r\n"
                  .formatted(url.getPort())
              + "Content-Length: %d\r\nConnection: close\r\n\r\n%s"
                  .formatted(message.length(), message);
      socket.getOutputStream().write(request.getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 403 ");
    }
  }

  private int status(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  @Test
  void aProgramThatIsNotThereHasNoSession() throws Exception {
    URI url = bridge.offer("none", new StdioCommand(List.of("/nowhere/program"), Map.of(), null));

    assertThat(initialize(url, 1).statusCode()).isEqualTo(502);
  }

  @Test
  void whoDoesNotKnowThePathOrTheSessionReachesNothing() throws Exception {
    URI url = offer();
    assertThat(initialize(url.resolve("/"), 1).statusCode()).isEqualTo(404);
    assertThat(initialize(url.resolve("/test"), 1).statusCode()).isEqualTo(404);
    assertThat(post(url, "", request(1, "echo")).statusCode()).isEqualTo(400);
    assertThat(post(url, "guessed", request(1, "echo")).statusCode()).isEqualTo(404);
    assertThat(post(url, "", "[]").statusCode()).isEqualTo(400);
    assertThat(post(url, "", "{" + " ".repeat(5 << 20)).statusCode()).isEqualTo(413);
  }
}
