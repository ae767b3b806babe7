package dev.assay.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The runner of one Pod, on a loopback address of its own. It answers as images/protocol describes,
 * and verifies no signature, since there is no code that it could start.
 */
final class StandInRunner implements AutoCloseable {
  private static final int ADDRESSES = 200 * 200;
  private static final int LINES = 20;
  private static final String ARTIFACT = "region,price\nnorth,3\n";

  /** The number of the one that is fetched. */
  private static final int FETCHED = 2;

  private static final AtomicInteger NEXT = new AtomicInteger();
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final String podUid;
  private final Runnable beforeResult;
  private final Runnable acknowledged;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile @Nullable JsonNode job;
  private volatile @Nullable String runUid;
  private volatile boolean started;
  private volatile boolean refused;
  private volatile int lastSeq;

  private StandInRunner(
      HttpServer server, String podUid, Runnable beforeResult, Runnable acknowledged) {
    this.server = server;
    this.podUid = podUid;
    this.beforeResult = beforeResult;
    this.acknowledged = acknowledged;
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /**
   * Starts it on the port that the Pod declares.
   *
   * @param beforeResult called before a result is sent, which it can delay
   * @param acknowledged called once the result was acknowledged
   */
  static StandInRunner start(Pod pod, Runnable beforeResult, Runnable acknowledged)
      throws IOException {
    int port =
        pod.getSpec().getContainers().stream()
            .flatMap(container -> container.getPorts().stream())
            .filter(declared -> "runner".equals(declared.getName()))
            .map(ContainerPort::getContainerPort)
            .findFirst()
            .orElseThrow();
    return new StandInRunner(listen(port), pod.getMetadata().getUid(), beforeResult, acknowledged);
  }

  private static HttpServer listen(int port) throws IOException {
    for (int attempt = 0; ; attempt++) {
      int number = NEXT.getAndIncrement() % ADDRESSES;
      // Apart from the addresses of local mode, which may run on the same machine.
      String address = "127.200.%d.%d".formatted(number / 200, 1 + number % 200);
      try {
        return HttpServer.create(new InetSocketAddress(address, port), 0);
      } catch (BindException e) {
        if (attempt == ADDRESSES) {
          throw e;
        }
      }
    }
  }

  String ip() {
    return server.getAddress().getAddress().getHostAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      switch (exchange.getRequestURI().getPath()) {
        case "/v1/hello" -> answer(exchange, 200, hello());
        case "/v1/ready" -> answer(exchange, 200, "{\"ready\":true}");
        case "/v1/egress" -> answer(exchange, 200, "{\"egress\":\"refused\"}");
        case "/v1/stage" -> stage(exchange, JSON.readTree(body));
        case "/v1/start", "/v1/attach" -> start(exchange);
        case "/v1/artifacts" -> sendArtifact(exchange);
        case "/v1/cancel" -> answer(exchange, 200, "{\"state\":\"Started\"}");
        case "/v1/refuse" -> refuse(exchange);
        case "/v1/ack" -> acknowledge(exchange, JSON.readTree(body));
        default -> answer(exchange, 404, "{\"error\":{\"code\":\"NotFound\",\"message\":\"\"}}");
      }
    }
  }

  private String hello() {
    ObjectNode hello = JSON.createObjectNode();
    hello.put("protocol", 1).putArray("protocols").add(1);
    hello.put("podUid", podUid).put("nonce", "n".repeat(43));
    hello.put("state", state());
    hello.put("runUid", runUid).putArray("keyIds");
    var features = hello.putArray("features");
    for (String feature : FEATURES) {
      features.add(feature);
    }
    return hello.toString();
  }

  private String state() {
    if (refused) {
      return "Refused";
    }
    return job == null ? "Idle" : started ? "Started" : "Staged";
  }

  private static final String[] FEATURES = {
    "sources",
    "uploads",
    "datasets",
    "tables",
    "snapshots",
    "polars",
    "sql",
    "builtin",
    "reply",
    "workspace",
    "artifacts",
    "artifactStream",
    "artifactData",
    "files",
    "inputs",
    "keep",
    "code",
    "charts",
    "timeZone",
    "export",
    "egress",
    "refuse"
  };

  private void stage(HttpExchange exchange, JsonNode request) throws IOException {
    runUid = request.path("runUid").asText();
    job = request.path("job");
    answer(exchange, 200, "{\"state\":\"Staged\"}");
  }

  private void refuse(HttpExchange exchange) throws IOException {
    if (started) {
      answer(exchange, 409, "{\"error\":{\"code\":\"Started\",\"message\":\"\"}}");
      return;
    }
    refused = true;
    answer(exchange, 200, "{\"state\":\"Refused\"}");
  }

  private void start(HttpExchange exchange) throws IOException {
    JsonNode staged = refused ? null : job;
    if (staged == null) {
      answer(exchange, 409, "{\"error\":{\"code\":\"NotStaged\",\"message\":\"\"}}");
      return;
    }
    started = true;
    exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
    exchange.sendResponseHeaders(200, 0);
    boolean leavesFile = staged.has("collect");
    boolean prints = "python".equals(staged.path("kind").asText());
    StandInEvents events = new StandInEvents();
    OutputStream stream = exchange.getResponseBody();
    send(stream, events.started());
    if (prints) {
      for (int line = 0; line < LINES; line++) {
        send(stream, events.output("line %d of the output\n".formatted(line)));
      }
    }
    if (leavesFile) {
      send(stream, events.artifactWithData(1, "results/small.csv", ARTIFACT));
      send(stream, events.artifact(FETCHED, "results/table.csv", ARTIFACT));
    }
    beforeResult.run();
    lastSeq = events.next();
    send(stream, events.result(staged));
  }

  private static void send(OutputStream stream, String line) throws IOException {
    stream.write((line + "\n").getBytes(UTF_8));
    stream.flush();
  }

  /** The number, the length and the bytes of the one that is fetched. */
  private static void sendArtifact(HttpExchange exchange) throws IOException {
    byte[] bytes = ARTIFACT.getBytes(UTF_8);
    byte[] frame =
        ByteBuffer.allocate(Integer.BYTES + Long.BYTES + bytes.length)
            .putInt(FETCHED)
            .putLong(bytes.length)
            .put(bytes)
            .array();
    exchange.sendResponseHeaders(200, frame.length);
    exchange.getResponseBody().write(frame);
  }

  private void acknowledge(HttpExchange exchange, JsonNode request) throws IOException {
    answer(exchange, 200, "{}");
    if (started && request.path("seq").asInt() >= lastSeq) {
      acknowledged.run();
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
