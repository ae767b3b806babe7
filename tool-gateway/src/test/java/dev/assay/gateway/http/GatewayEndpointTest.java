package dev.assay.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.Await;
import dev.assay.gateway.call.CallRequest;
import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.call.Calls;
import dev.assay.gateway.call.ToolServerSource;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.metrics.UpstreamMetrics;
import dev.assay.gateway.upstream.ListMemory;
import dev.assay.gateway.upstream.ReplyMemory;
import dev.assay.gateway.upstream.Servers;
import dev.assay.gateway.upstream.Upstreams;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The endpoint with all behind it, and a tool server that counts its calls. */
class GatewayEndpointTest {
  private static final String RUN = "0b9e9a6c-0000-4000-8000-000000000001";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger called = new AtomicInteger();
  private final ProgramMetrics counted = ProgramMetrics.create();
  private final UpstreamMetrics metrics = new UpstreamMetrics(counted, () -> 0);
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private HttpServer upstream;
  private Upstreams upstreams;
  private GatewayEndpoint endpoint;
  private Optional<ToolServer> toolServer;
  private volatile boolean serversAreRead = true;

  /** What serves the last request. */
  private volatile Thread serving;

  @BeforeEach
  void start() throws IOException {
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.setExecutor(threads);
    upstream.createContext(
        "/mcp",
        exchange -> {
          try (exchange) {
            JsonNode request = Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
            String result = result(request.path("method").asString(""));
            if (result.isEmpty()) {
              exchange.sendResponseHeaders(202, -1);
              return;
            }
            byte[] body =
                "{\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}"
                    .formatted(request.path("id"), result)
                    .getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    upstream.start();
    toolServer =
        Optional.of(
            Servers.of(
                Servers.spec("http://127.0.0.1:" + upstream.getAddress().getPort() + "/mcp")));
    Clock clock = Clock.systemUTC();
    ToolServerSource servers =
        new ToolServerSource() {
          @Override
          public boolean isRead() {
            return serversAreRead;
          }

          @Override
          public Optional<ToolServer> find(String namespace, String name) {
            return namespace.equals(Servers.NAMESPACE) && name.equals("tools")
                ? toolServer
                : Optional.empty();
          }
        };
    upstreams =
        new Upstreams(
            name -> Optional.empty(),
            Servers.LOOPBACK,
            new ReplyMemory(64 << 20),
            new ListMemory(64 << 20),
            clock);
    CallTable table = new CallTable(1 << 20, clock);
    endpoint =
        new GatewayEndpoint(
            new GatewayConfig(
                List.of(Servers.NAMESPACE),
                "credentials",
                "127.0.0.1",
                0,
                0,
                null,
                "assay-tool-gateway",
                List.of(),
                null,
                null),
            authorization -> {
              serving = Thread.currentThread();
              return "Bearer operator".equals(authorization);
            },
            servers,
            upstreams,
            new Calls(servers, upstreams, table, metrics, clock),
            table);
    endpoint.start();
  }

  private String result(String method) throws InterruptedException {
    return switch (method) {
      case "initialize" ->
          "{\"protocolVersion\": \"2025-11-25\", \"capabilities\": {},"
              + " \"serverInfo\": {\"name\": \"up\", \"version\": \"1\"}}";
      case "tools/list" ->
          "{\"tools\": [{\"name\": \"count\", \"annotations\":"
              + " {\"readOnlyHint\": true, \"openWorldHint\": false}}]}";
      case "tools/call" -> {
        int count = called.incrementAndGet();
        gate.await();
        yield "{\"content\": [{\"type\": \"text\", \"text\": \"" + count + "\"}]}";
      }
      default -> "";
    };
  }

  @AfterEach
  void stop() {
    gate.countDown();
    endpoint.close();
    upstreams.close();
    upstream.stop(0);
    http.close();
    threads.shutdownNow();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path))
        .header("Authorization", "Bearer operator");
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private CompletableFuture<HttpResponse<String>> begin(HttpRequest.Builder request) {
    return http.sendAsync(request.build(), BodyHandlers.ofString());
  }

  private static ObjectNode body(String server, String tool, String arguments) {
    ObjectNode body = Json.MAPPER.createObjectNode();
    body.put("namespace", Servers.NAMESPACE);
    body.put("server", server);
    body.put("tool", tool);
    body.put("args", Base64.getEncoder().encodeToString(arguments.getBytes(UTF_8)));
    body.put("digest", CallRequest.digest(server, tool, arguments.getBytes(UTF_8)));
    body.put("deadlineMillis", 10_000);
    body.put("resultBytes", 1 << 20);
    body.putObject("grants").putNull("permissions");
    body.putNull("approved");
    return body;
  }

  private static ObjectNode body(String arguments) {
    return body("tools", "count", arguments);
  }

  private HttpRequest.Builder put(int number, JsonNode body)
      throws IOException, InterruptedException {
    return unaddressed(number, body).header(GatewayEndpoint.INSTANCE_HEADER, instance());
  }

  /** For no particular process. */
  private HttpRequest.Builder unaddressed(int number, JsonNode body) {
    return to("/v1/runs/" + RUN + "/calls/" + number).PUT(BodyPublishers.ofString(body.toString()));
  }

  private String instance() throws IOException, InterruptedException {
    return text(Json.MAPPER.readTree(send(to("/v1/replica").GET()).body()), "instance");
  }

  private JsonNode call(int number, JsonNode body) throws IOException, InterruptedException {
    HttpResponse<String> response = send(put(number, body));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return Json.MAPPER.readTree(response.body());
  }

  private static String text(JsonNode outcome, String member) {
    return outcome.path(member).asString("");
  }

  private static String decoded(JsonNode outcome, String member) {
    return new String(Base64.getDecoder().decode(text(outcome, member)), UTF_8);
  }

  @Test
  void aCallHasTheOutcomeOfItsTool() throws Exception {
    JsonNode outcome = call(1, body("{}"));
    assertThat(outcome.path("ok").asBoolean(false)).isTrue();
    assertThat(decoded(outcome, "value")).isEqualTo("1");
    assertThat(decoded(outcome, "raw"))
        .isEqualTo("{\"content\":[{\"type\":\"text\",\"text\":\"1\"}],\"isError\":false}");
    assertThat(text(outcome, "sent")).isEqualTo("yes");
    assertThat(outcome.path("openWorld").asBoolean(true)).isFalse();
    assertThat(outcome.path("millis").isIntegralNumber()).isTrue();
    assertThat(counted.text()).contains("{code=\"OK\",server=\"team/tools\"} 1.0");
  }

  @Test
  void aRepeatGetsTheKeptOutcomeAndAnotherDigestAConflict() throws Exception {
    JsonNode first = call(1, body("{}"));
    assertThat(call(1, body("{}"))).isEqualTo(first);
    assertThat(send(put(1, body("{\"a\": 1}"))).statusCode()).isEqualTo(409);
    assertThat(called).hasValue(1);
    call(2, body("{\"a\": 1}"));
    assertThat(called).hasValue(2);
  }

  @Test
  void aRepeatAttachesToACallWhoseConnectionWasLost() throws Exception {
    gate = new CountDownLatch(1);
    CompletableFuture<HttpResponse<String>> first = begin(put(1, body("{}")));
    Await.await(() -> called.get() == 1);
    first.cancel(true);
    CompletableFuture<HttpResponse<String>> second = begin(put(1, body("{}")));
    gate.countDown();
    assertThat(decoded(Json.MAPPER.readTree(second.get().body()), "value")).isEqualTo("1");
    assertThat(called).hasValue(1);
  }

  @Test
  void theEndOfARunCancelsItsCallsAndNoLaterCallIsMade() throws Exception {
    gate = new CountDownLatch(1);
    CompletableFuture<HttpResponse<String>> first = begin(put(1, body("{}")));
    Await.await(() -> called.get() == 1);
    assertThat(send(to("/v1/runs/" + RUN).DELETE()).statusCode()).isEqualTo(204);
    JsonNode outcome = Json.MAPPER.readTree(first.get().body());
    assertThat(text(outcome, "code")).isEqualTo("OUTCOME_UNKNOWN");
    assertThat(text(outcome, "sent")).isEqualTo("unknown");
    assertThat(text(call(2, body("{}")), "sent")).isEqualTo("no");
    assertThat(called).hasValue(1);
  }

  @Test
  void aCallForAnotherProcessIsNotMade() throws Exception {
    HttpRequest.Builder another =
        unaddressed(1, body("{}")).header(GatewayEndpoint.INSTANCE_HEADER, "another");
    for (HttpRequest.Builder request : List.of(another, unaddressed(1, body("{}")))) {
      HttpResponse<String> refused = send(request);
      assertThat(refused.statusCode()).isEqualTo(421);
      assertThat(text(Json.MAPPER.readTree(refused.body()), "instance")).isEqualTo(instance());
    }
    assertThat(called).hasValue(0);
    assertThat(send(put(1, body("{}"))).statusCode()).isEqualTo(200);
  }

  @Test
  void aReplicaThatStopsTakesNoCallsAndEndsThoseThatItHas() throws Exception {
    gate = new CountDownLatch(1);
    CompletableFuture<HttpResponse<String>> first = begin(put(1, body("{}")));
    Await.await(() -> called.get() == 1);
    Thread drain =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    endpoint.drain(Duration.ofSeconds(10));
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    Await.await(endpoint::isDraining);
    HttpResponse<String> busy = send(put(2, body("{}")));
    assertThat(busy.statusCode()).isEqualTo(503);
    assertThat(text(Json.MAPPER.readTree(busy.body()), "code")).isEqualTo("Busy");
    gate.countDown();
    assertThat(first.get().statusCode()).isEqualTo(200);
    drain.join();
    assertThat(called).hasValue(1);
  }

  /** The operator takes Busy as a call that was certainly not sent. */
  @Test
  void aCallThatWasBegunIsNotReportedAsBusyWhenItsThreadIsInterrupted() throws Exception {
    gate = new CountDownLatch(1);
    CompletableFuture<HttpResponse<String>> first = begin(put(1, body("{}")));
    Await.await(() -> called.get() == 1);
    serving.interrupt();
    assertThat(first.handle((response, lost) -> lost == null && response.statusCode() == 503).get())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "other;count;{};SERVER_NOT_FOUND",
        "tools;coun;{};TOOL_NOT_FOUND",
        "tools;count;[];INVALID_ARGS",
        "tools;count;'{} {}';INVALID_ARGS",
        "tools;count;'{\"a\": }';INVALID_ARGS",
        "tools;count;x;INVALID_ARGS"
      })
  void whatIsRefusedIsNotSent(String server, String tool, String arguments, String code)
      throws Exception {
    JsonNode outcome = call(1, body(server, tool, arguments));
    assertThat(text(outcome, "code")).isEqualTo(code);
    assertThat(text(outcome, "sent")).isEqualTo("no");
    assertThat(called).hasValue(0);
  }

  /** Scripts choose these names, and each series takes memory. */
  @Test
  void namesOfServersThatThereAreNotBecomeNoSeries() throws Exception {
    call(1, body("one", "count", "{}"));
    call(2, body("two", "count", "{}"));
    assertThat(counted.text())
        .contains("{code=\"SERVER_NOT_FOUND\",server=\"\"} 2.0\n")
        .doesNotContain("one", "two");
  }

  @Test
  void deepArgumentsAreRefused() throws Exception {
    String deep = "{\"a\": " + "[".repeat(10_000) + "]".repeat(10_000) + "}";
    assertThat(text(call(1, body(deep)), "code")).isEqualTo("INVALID_ARGS");
  }

  @Test
  void permissionsOfTheRunAreKept() throws Exception {
    ObjectNode body = body("{}");
    body.putObject("grants").putArray("permissions").add("write");
    assertThat(text(call(1, body), "code")).isEqualTo("PERMISSION_DENIED");
    body.putObject("grants").putArray("permissions").add("read");
    assertThat(call(2, body).path("ok").asBoolean(false)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "digest;\"x\"",
        "args;\"%\"",
        "args;\"/w==\"",
        "deadlineMillis;-1",
        "deadlineMillis;1.5",
        "resultBytes;0",
        "resultBytes;8388609",
        "namespace;5",
        "grants;{\"permissions\": [\"admin\"]}"
      })
  void aRequestThatIsWrongIsRefusedByTheNameOfItsMember(String member, String value)
      throws Exception {
    ObjectNode body = body("{}");
    body.set(member, Json.MAPPER.readTree(value));
    HttpResponse<String> response = send(put(1, body));
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains(member);
    assertThat(called).hasValue(0);
  }

  /** A script would be told that its server does not exist. */
  @Test
  void aCallThatComesBeforeTheServersHaveBeenReadIsNotAccepted() throws Exception {
    serversAreRead = false;
    toolServer = Optional.empty();
    HttpResponse<String> response = send(put(1, body("{}")));
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).contains("starting");

    serversAreRead = true;
    toolServer = Optional.of(Servers.of(Servers.spec("http://127.0.0.1:9/mcp")));
    assertThat(send(put(1, body("{}"))).statusCode()).as("the same call, later").isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/runs/a/calls/1, 405",
    "GET, /v1/runs/a, 405",
    "PUT, /v1/runs/a/calls/0, 404",
    "PUT, /v1/runs/a/calls/01, 404",
    "DELETE, /v1/replica, 404",
    "GET, /v1/servers/team/none/tools, 404",
    "GET, /, 404"
  })
  void otherPathsAndMethodsAreRefused(String method, String path, int status) throws Exception {
    assertThat(send(to(path).method(method, BodyPublishers.noBody())).statusCode())
        .isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource(
      value = {"Bearer other", "operator", "NULL"},
      nullValues = "NULL")
  void whoeverHasNoTokenForItIsRefused(@Nullable String authorization) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + endpoint.address().getPort() + "/v1/replica"));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    assertThat(send(request.GET()).statusCode()).isEqualTo(401);
  }

  private JsonNode listing() throws IOException, InterruptedException {
    return Json.MAPPER.readTree(send(to("/v1/servers/team/tools/tools").GET()).body());
  }

  @Test
  void aServerIsListed() throws Exception {
    JsonNode listing = listing();
    assertThat(text(listing.path("server"), "name")).isEqualTo("up");
    assertThat(text(listing.path("server"), "version")).isEqualTo("1");
    JsonNode tool = listing.path("tools").path(0);
    assertThat(text(tool, "name")).isEqualTo("count");
    assertThat(text(tool, "permission")).isEqualTo("read");
    assertThat(text(tool, "digest")).matches("[0-9a-f]{64}");
    assertThat(tool.path("inputSchema").isObject()).isTrue();
    assertThat(tool.has("outputSchema")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "uid=uid-1&generation=1, 200",
    "uid=uid-2&generation=1, 404",
    "uid=uid-1&generation=2, 404",
    "uid=uid-1, 400"
  })
  void theListOfAnEarlierObjectWithTheNameIsNotReturned(String query, int status) throws Exception {
    assertThat(send(to("/v1/servers/team/tools/tools?" + query).GET()).statusCode())
        .isEqualTo(status);
  }

  @Test
  void theListOfALaterGenerationIsReturned() throws Exception {
    toolServer = toolServer.map(server -> Servers.of(server.getSpec(), 3));
    assertThat(send(to("/v1/servers/team/tools/tools?uid=uid-1&generation=2").GET()).statusCode())
        .isEqualTo(200);
  }

  @Test
  void aServerThatCannotBeListedHasACode() throws Exception {
    upstream.stop(0);
    JsonNode error = listing();
    assertThat(text(error, "code")).isEqualTo("UPSTREAM_UNAVAILABLE");
    assertThat(text(error, "message")).endsWith(".");
  }

  @Test
  void aServerThatIsDisabledIsNotAsked() throws Exception {
    toolServer = Optional.of(Servers.of(toolServer.orElseThrow().getSpec().withEnabled(false)));
    assertThat(text(listing(), "code")).isEqualTo("SERVER_DISABLED");
  }
}
