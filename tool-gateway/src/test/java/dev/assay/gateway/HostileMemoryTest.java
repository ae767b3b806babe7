package dev.assay.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.gateway.call.CallRequest;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.http.GatewayEndpoint;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A gateway with the memory that the chart and the image give it, and servers that are after it.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileMemoryTest {
  /** In flight at once, of two servers: as many as two of them may have. */
  private static final int CALLS = 64;

  /** 200 MB, packed. */
  private static final byte[] BOMB = bomb();

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger runs = new AtomicInteger();
  private HttpServer servers;
  private Process gateway;
  private URI gatewayUrl;
  private String instance;

  /** What the hostile servers do. */
  private enum Attack {
    OBJECTS,
    LISTS,
    VALID_OBJECTS,
    OBJECTS_IN_TEXT,
    MEMBERS,
    ESCAPES,
    LONG_TEXT,
    GZIP,
    MANY_TOOLS,
    HEAVY_TOOLS,
    DEEP,
    ENDLESS,
    ENDLESS_EVENT,
    EVENTS,
    VALID_LISTS,
    AT_DEADLINE,
  }

  @BeforeAll
  void start() throws IOException, InterruptedException {
    servers = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
    servers.setExecutor(threads);
    servers.createContext("/", this::serve);
    servers.start();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@../images/training/java.options");
    command.add("-Xmx" + HeapSharesTest.heap());
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), GatewayProcess.class.getName()));
    command.add("http://127.0.0.1:" + servers.getAddress().getPort() + "/");
    gateway = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(gateway.getInputStream(), UTF_8));
    String line = output.readLine();
    while (line != null && !line.matches("[0-9]+")) {
      line = output.readLine();
    }
    gatewayUrl = URI.create("http://127.0.0.1:" + line);
    Thread.ofVirtual().start(() -> output.lines().forEach(unused -> {}));
    instance =
        Json.MAPPER
            .readTree(
                http.send(
                        HttpRequest.newBuilder(gatewayUrl.resolve("/v1/replica")).build(),
                        BodyHandlers.ofString())
                    .body())
            .path("instance")
            .asString("");
  }

  @AfterAll
  void stop() {
    gateway.destroyForcibly();
    servers.stop(0);
    http.close();
    threads.shutdownNow();
  }

  private JsonNode call(String namespace, String server) throws IOException, InterruptedException {
    ObjectNode body = Json.MAPPER.createObjectNode();
    body.put("namespace", namespace);
    body.put("server", server);
    body.put("tool", "a");
    body.put("args", Base64.getEncoder().encodeToString("{}".getBytes(UTF_8)));
    body.put("digest", CallRequest.digest(server, "a", "{}".getBytes(UTF_8)));
    body.put("deadlineMillis", server.startsWith("AT_DEADLINE") ? 700 : 20_000);
    body.put("resultBytes", server.startsWith("LONG_TEXT") ? 8 << 20 : 1 << 20);
    body.putObject("grants").putNull("permissions");
    body.putNull("approved");
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(
                    gatewayUrl.resolve("/v1/runs/r" + runs.incrementAndGet() + "/calls/1"))
                .header(GatewayEndpoint.INSTANCE_HEADER, instance)
                .PUT(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofString());
    return Json.MAPPER.readTree(response.body());
  }

  private static String outcome(JsonNode reply) {
    return reply.path("ok").asBoolean(false)
        ? "ok"
        : reply.path("code").asString("") + ": " + reply.path("message").asString("");
  }

  /** One process for all attacks, so that what one leaves adds to the next. */
  @ParameterizedTest
  @EnumSource
  void theGatewayLivesAndCallsOfGoodServersSucceed(Attack attack) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Map<String, Integer>>> good =
        List.of(
            threads.submit(() -> callUntil(over, "team", "good-short")),
            threads.submit(() -> callUntil(over, "other", "good-long")));
    Map<String, Integer> outcomes = new TreeMap<>();
    List<Future<JsonNode>> calls = new ArrayList<>();
    for (int call = 0; call < CALLS; call++) {
      String server = attack + "-" + call % 2;
      calls.add(threads.submit(() -> call("team", server)));
    }
    for (Future<JsonNode> call : calls) {
      outcomes.merge(outcome(call.get()), 1, Integer::sum);
    }
    over.set(true);
    assertThat(gateway.isAlive()).as("after outcomes %s", outcomes).isTrue();
    for (Future<Map<String, Integer>> each : good) {
      assertThat(each.get()).containsOnlyKeys("ok");
    }
    assertThat(peak()).isLessThan(HeapSharesTest.memory());
  }

  private long peak() throws IOException {
    return Files.readAllLines(Path.of("/proc", "" + gateway.pid(), "status")).stream()
            .filter(line -> line.startsWith("VmHWM:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
            .sum()
        << 10;
  }

  private Map<String, Integer> callUntil(AtomicBoolean over, String namespace, String server)
      throws Exception {
    Map<String, Integer> outcomes = new TreeMap<>();
    do {
      outcomes.merge(outcome(call(namespace, server)), 1, Integer::sum);
    } while (!over.get());
    return outcomes;
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
      String name = exchange.getRequestURI().getPath().replaceAll("^.*/|-[01]$", "");
      String before = "{\"jsonrpc\": \"2.0\", \"id\": " + request.path("id") + ", \"result\": ";
      switch (request.path("method").asString("")) {
        case "initialize" ->
            reply(
                exchange,
                before
                    + "{\"protocolVersion\": \"2025-06-18\", \"capabilities\": {\"tools\": {}},"
                    + " \"serverInfo\": {\"name\": \"up\", \"version\": \"1\"}}}");
        case "tools/list" -> reply(exchange, before + "{\"tools\": [" + tools(name) + "]}}");
        case "tools/call" -> call(exchange, name, before);
        default -> exchange.sendResponseHeaders(202, -1);
      }
    }
  }

  private static void reply(HttpExchange exchange, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static String tools(String name) {
    return switch (name) {
      case "MANY_TOOLS" -> "{\"name\": \"a\"}," + "{\"name\": \"b\"},".repeat(5000) + "{}";
      case "HEAVY_TOOLS" ->
          "{\"name\": \"a\", \"inputSchema\": {\"x\": ["
              + "{},".repeat(98_000)
              + "\""
              + "x".repeat(3_600_000)
              + "\"]}}";
      default -> "{\"name\": \"a\"}";
    };
  }

  private static void call(HttpExchange exchange, String name, String before) throws IOException {
    switch (name) {
      case "good-short" -> reply(exchange, before + text("fine") + "}");
      case "good-long" -> reply(exchange, before + text("x".repeat(100_000)) + "}");
      case "OBJECTS" -> reply(exchange, before + structured("{},".repeat(399_999) + "{}") + "}");
      case "LISTS" -> reply(exchange, before + structured("[],".repeat(399_999) + "[]") + "}");
      case "VALID_LISTS" ->
          reply(exchange, before + structured("[1],".repeat(65_999) + "[1]") + "}");
      case "VALID_OBJECTS", "AT_DEADLINE" ->
          reply(exchange, before + structured("{},".repeat(98_999) + "{}") + "}");
      case "OBJECTS_IN_TEXT" ->
          reply(exchange, before + text("[" + "{},".repeat(98_999) + "{}]") + "}");
      case "MEMBERS" -> {
        StringBuilder members = new StringBuilder("{\"a\": 1");
        for (int member = 0; member < 90_000; member++) {
          members.append(",\"m").append(Integer.toString(member, 36)).append("\":0");
        }
        reply(exchange, before + structured(members + "}") + "}");
      }
      case "ESCAPES" -> reply(exchange, before + text("\\u0101".repeat(340_000)) + "}");
      case "LONG_TEXT" -> reply(exchange, before + text("x".repeat(7_500_000)) + "}");
      case "DEEP" ->
          reply(exchange, before + structured("[".repeat(400_000) + "]".repeat(400_000)) + "}");
      case "GZIP" -> {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        exchange.sendResponseHeaders(200, BOMB.length);
        exchange.getResponseBody().write(BOMB);
      }
      case "EVENTS" -> {
        byte[] notice =
            ("data: {\"jsonrpc\": \"2.0\", \"method\": \"x\", \"params\": {\"a\": ["
                    + "{},".repeat(48_999)
                    + "{}]}}\n\n")
                .getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
          for (int event = 0; event < 10; event++) {
            out.write(notice);
          }
          String reply = before + structured("{},".repeat(48_999) + "{}") + "}";
          out.write(("data: " + reply + "\n\n").getBytes(UTF_8));
        }
      }
      case "ENDLESS", "ENDLESS_EVENT" -> {
        boolean isEvent = name.equals("ENDLESS_EVENT");
        exchange
            .getResponseHeaders()
            .set("Content-Type", isEvent ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
          out.write((isEvent ? "data: [" : "[").getBytes(UTF_8));
          byte[] block = "{},".repeat(10_000).getBytes(UTF_8);
          while (true) {
            out.write(block);
          }
        }
      }
      default -> reply(exchange, before + text("done") + "}");
    }
  }

  private static byte[] bomb() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      byte[] block = "[".repeat(1_000_000).getBytes(UTF_8);
      for (int i = 0; i < 200; i++) {
        out.write(block);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static String text(String text) {
    return "{\"content\": [{\"type\": \"text\", \"text\": \""
        + text.replace("\"", "\\\"")
        + "\"}]}";
  }

  private static String structured(String values) {
    return "{\"content\": [], \"structuredContent\": {\"a\": [" + values + "]}}";
  }
}
