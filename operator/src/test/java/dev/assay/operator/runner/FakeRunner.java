package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.operator.Samples;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A runner on the loopback address. It trusts one key and checks every signed request as the
 * protocol says; what it answers is laid out beforehand, one answer a request, the last one again.
 */
final class FakeRunner implements AutoCloseable {
  static final String NONCE = "a-nonce-of-this-process";

  /** How a request is answered. */
  @FunctionalInterface
  interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final ObjectMapper json = new ObjectMapper();
  private final PublicKey trusted;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final Map<String, Deque<Answer>> answers = new HashMap<>();
  private final List<JsonNode> accepted = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();

  FakeRunner(PublicKey trusted) throws IOException {
    this.trusted = trusted;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    on("/v1/hello", json(200, helloOf(Samples.POD_UID)));
    on("/v1/stage", json(200, "{\"state\":\"Staged\"}"));
  }

  int port() {
    return server.getAddress().getPort();
  }

  RunnerAddress address() {
    return new RunnerAddress("127.0.0.1", port());
  }

  /** Replaces what is answered on a path. */
  void on(String path, Answer... inOrder) {
    synchronized (answers) {
      answers.put(path, new ArrayDeque<>(List.of(inOrder)));
    }
  }

  /** Bodies of the signed requests whose signature and identity were right, in order. */
  List<JsonNode> accepted() {
    return accepted;
  }

  /** Paths of all requests, in order. */
  List<String> paths() {
    return paths;
  }

  static String helloOf(String podUid) {
    return "{\"protocol\":1,\"podUid\":\""
        + podUid
        + "\",\"nonce\":\""
        + NONCE
        + "\",\"state\":\"Idle\",\"runUid\":null,\"keyIds\":[\"k1\"]}";
  }

  static Answer json(int status, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  static Answer refusal(int status, String code) {
    return json(status, "{\"error\":{\"code\":\"" + code + "\",\"message\":\"no\"}}");
  }

  static Answer redirect(String location) {
    return exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      exchange.sendResponseHeaders(307, -1);
    };
  }

  /** Sends lines and closes the connection. */
  static Answer events(String... lines) {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
      exchange.sendResponseHeaders(200, 0);
      OutputStream body = exchange.getResponseBody();
      for (String line : lines) {
        body.write((line + "\n").getBytes(UTF_8));
        body.flush();
      }
    };
  }

  /** Closes the connection without an answer. */
  static Answer nothing() {
    return exchange -> {
      throw new IOException("cut");
    };
  }

  static String started(long seq) {
    return "{\"type\":\"started\",\"seq\":" + seq + "}";
  }

  static String output(long seq, long offset, String text) {
    return "{\"type\":\"output\",\"seq\":"
        + seq
        + ",\"offset\":"
        + offset
        + ",\"data\":\""
        + Base64.getEncoder().encodeToString(text.getBytes(UTF_8))
        + "\"}";
  }

  static String result(long seq) {
    return "{\"type\":\"result\",\"seq\":"
        + seq
        + ",\"outcome\":\"Succeeded\",\"durationMs\":1,"
        + "\"output\":{\"bytes\":0,\"storedBytes\":0}}";
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      paths.add(path);
      byte[] body = exchange.getRequestBody().readAllBytes();
      if ("POST".equals(exchange.getRequestMethod())) {
        String wrong = check(exchange, path, body);
        if (!wrong.isEmpty()) {
          refusal(401, wrong).to(exchange);
          return;
        }
        accepted.add(json.readTree(body));
      }
      next(path).to(exchange);
    }
  }

  private Answer next(String path) {
    synchronized (answers) {
      Deque<Answer> inOrder = answers.get(path);
      if (inOrder == null) {
        return refusal(404, "NotFound");
      }
      return inOrder.size() > 1 ? inOrder.removeFirst() : inOrder.getFirst();
    }
  }

  private String check(HttpExchange exchange, String path, byte[] body) throws IOException {
    String signature = exchange.getRequestHeaders().getFirst("Assay-Signature");
    if (!"k1".equals(exchange.getRequestHeaders().getFirst("Assay-Key-Id"))) {
      return "UnknownKey";
    }
    if (signature == null || !verifies(Base64.getDecoder().decode(signature), body)) {
      return "BadSignature";
    }
    JsonNode request = json.readTree(body);
    if (!path.equals("/v1/" + request.path("op").asText())) {
      return "Malformed";
    }
    if (!Samples.POD_UID.equals(request.path("podUid").asText())) {
      return "WrongPod";
    }
    return NONCE.equals(request.path("nonce").asText()) ? "" : "WrongNonce";
  }

  private boolean verifies(byte[] signature, byte[] body) {
    try {
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(trusted);
      verifier.update("assay-runner/v1\n".getBytes(UTF_8));
      verifier.update(body);
      return verifier.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
