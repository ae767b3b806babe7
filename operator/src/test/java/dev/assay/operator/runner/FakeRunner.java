package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.operator.Samples;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A runner on the loopback address. It trusts one key and checks each signed request as the
 * protocol requires. Its responses are set beforehand, one for each request; the last one is
 * repeated.
 */
public final class FakeRunner implements AutoCloseable {
  public static final String NONCE = "a-nonce-of-this-process";

  /** Responds to a request. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange) throws IOException;

    /** A response in several parts. */
    default Answer then(Answer next) {
      return exchange -> {
        to(exchange);
        next.to(exchange);
      };
    }
  }

  /** An action before the response continues. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  private final ObjectMapper json = new ObjectMapper();
  private final SigningKey trusted;
  private final String podUid;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final Map<String, Deque<Answer>> answers = new HashMap<>();
  private final List<JsonNode> accepted = new CopyOnWriteArrayList<>();
  private final ThreadLocal<JsonNode> answered = new ThreadLocal<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final List<byte[]> uploads = new CopyOnWriteArrayList<>();

  /** The artifacts that it delivers, by their numbers; may be changed at any time. */
  public final Map<Integer, byte[]> artifacts = new ConcurrentHashMap<>();

  public FakeRunner(SigningKey trusted) {
    this(trusted, Samples.POD_UID);
  }

  /** The runner of another Pod than that of {@link Samples}. */
  public FakeRunner(SigningKey trusted, String podUid) {
    this.trusted = trusted;
    this.podUid = podUid;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    on("/v1/hello", json(200, helloOf(podUid)));
    on("/v1/stage", json(200, "{\"state\":\"Staged\"}"));
    on("/v1/cancel", json(200, "{\"state\":\"Started\"}"));
    on("/v1/refuse", json(200, "{\"state\":\"Refused\"}"));
    on("/v1/ack", json(200, "{}"));
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public RunnerAddress address() {
    return new RunnerAddress("127.0.0.1", port());
  }

  /** Replaces the responses to a path. */
  public void on(String path, Answer... inOrder) {
    synchronized (answers) {
      answers.put(path, new ArrayDeque<>(List.of(inOrder)));
    }
  }

  /** The bodies of the signed requests whose signature and identity were valid, in order. */
  public List<JsonNode> accepted() {
    return accepted;
  }

  /** The signed request that this thread answers. */
  public JsonNode answered() {
    return answered.get();
  }

  /** The operations of those requests, such as {@code stage} and {@code start}. */
  public List<String> ops() {
    return accepted.stream().map(body -> body.path("op").asText()).toList();
  }

  /** The bytes of the complete uploads, in order. */
  public List<byte[]> uploads() {
    return uploads;
  }

  /** The response to a complete upload. */
  public static Answer received(byte[] upload) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(upload);
      return json(
          200,
          "{\"bytes\":%d,\"sha256\":\"%s\"}"
              .formatted(upload.length, HexFormat.of().formatHex(digest)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A request that has arrived.
   *
   * @param clientPort identifies its connection
   */
  public record Received(String path, int clientPort) {}

  /** All requests, in order. */
  public List<Received> received() {
    return received;
  }

  /** Paths of all requests, in order. */
  public List<String> paths() {
    return paths;
  }

  public static String helloOf(String podUid) {
    return helloOf(podUid, "Idle");
  }

  /** What the runner answers while it waits for a job; it can refuse. */
  public static Hello idleHello(String... features) {
    List<String> all = Stream.concat(Stream.of(Hello.REFUSE), Stream.of(features)).toList();
    return new Hello(1, Samples.POD_UID, NONCE, "Idle", null, null, List.of("k1"), all);
  }

  /** Responds to hello with one of the protocol's states; the runner can refuse. */
  public static String helloOf(String podUid, String state) {
    return "{\"protocol\":1,\"podUid\":\""
        + podUid
        + "\",\"nonce\":\""
        + NONCE
        + "\",\"state\":\""
        + state
        + "\",\"runUid\":null,\"keyIds\":[\"k1\"],\"features\":[\"refuse\"]}";
  }

  public static Answer json(int status, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  public static Answer refusal(int status, String code) {
    return json(status, "{\"error\":{\"code\":\"" + code + "\",\"message\":\"no\"}}");
  }

  /** A hello of a runner that can refuse, with these further features. */
  public static String helloWith(String... features) {
    String names = String.join("\",\"", features);
    return helloOf(Samples.POD_UID).replace("[\"refuse\"]", "[\"refuse\",\"" + names + "\"]");
  }

  static Answer redirect(String location) {
    return exchange -> {
      exchange.getResponseHeaders().set("Location", location);
      exchange.sendResponseHeaders(307, -1);
    };
  }

  /** Sends lines; the connection is closed after the last part of a response. */
  public static Answer events(String... lines) {
    Answer begin =
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
          exchange.sendResponseHeaders(200, 0);
        };
    return begin.then(more(lines));
  }

  /** Sends further lines. */
  public static Answer more(String... lines) {
    return exchange -> {
      OutputStream body = exchange.getResponseBody();
      for (String line : lines) {
        body.write((line + "\n").getBytes(UTF_8));
        body.flush();
      }
    };
  }

  /** Runs an action, which may wait, before the response continues. */
  public static Answer meanwhile(Action action) {
    return exchange -> {
      try {
        action.run();
      } catch (Exception e) {
        throw new IOException(e);
      }
    };
  }

  /** Closes the connection without a response. */
  public static Answer nothing() {
    return exchange -> {
      throw new IOException("cut");
    };
  }

  public static String started(long seq) {
    return "{\"type\":\"started\",\"seq\":" + seq + "}";
  }

  public static String output(long seq, long offset, String text) {
    return "{\"type\":\"output\",\"seq\":"
        + seq
        + ",\"offset\":"
        + offset
        + ",\"data\":\""
        + Base64.getEncoder().encodeToString(text.getBytes(UTF_8))
        + "\"}";
  }

  /** Announces an artifact. */
  public static String artifact(long seq, long number, String path, long bytes) {
    return "{\"type\":\"artifact\",\"seq\":%d,\"number\":%d,\"path\":\"%s\",\"bytes\":%d}"
        .formatted(seq, number, path, bytes);
  }

  /** Announces an artifact with its bytes. */
  public static String artifact(long seq, long number, String path, long bytes, byte[] data) {
    String announced = artifact(seq, number, path, bytes);
    return announced.substring(0, announced.length() - 1)
        + ",\"data\":\""
        + Base64.getEncoder().encodeToString(data)
        + "\"}";
  }

  static String result(long seq) {
    return result(seq, "Succeeded", 0);
  }

  /** The result of a run with this many bytes of output. */
  public static String result(long seq, String outcome, long outputBytes) {
    return "{\"type\":\"result\",\"seq\":"
        + seq
        + ",\"outcome\":\""
        + outcome
        + "\",\"durationMs\":1,\"output\":{\"bytes\":"
        + outputBytes
        + ",\"storedBytes\":"
        + outputBytes
        + "}}";
  }

  /** The result of a run whose worker ended before it ran code. */
  public static String startFailed(long seq, String type, String message) {
    return startFailed(seq, type, message, 0);
  }

  /** The same with this many bytes of output. */
  public static String startFailed(long seq, String type, String message, long outputBytes) {
    return "{\"type\":\"result\",\"seq\":%d,\"outcome\":\"StartFailed\",\"durationMs\":0,"
            .formatted(seq)
        + "\"error\":{\"type\":\"%s\",\"message\":\"%s\"},".formatted(type, message)
        + "\"output\":{\"bytes\":%d,\"storedBytes\":%d}}".formatted(outputBytes, outputBytes);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      paths.add(path);
      received.add(new Received(path, exchange.getRemoteAddress().getPort()));
      byte[] body = exchange.getRequestBody().readAllBytes();
      String head = exchange.getRequestHeaders().getFirst("Assay-Request");
      byte[] signed = head == null ? body : Base64.getDecoder().decode(head);
      if (!"GET".equals(exchange.getRequestMethod())) {
        String wrong = check(exchange, path, signed);
        if (!wrong.isEmpty()) {
          refusal(401, wrong).to(exchange);
          return;
        }
        JsonNode request = json.readTree(signed);
        accepted.add(request);
        answered.set(request);
      }
      if (head != null) {
        uploads.add(body);
      }
      if (!hasAnswer(path) && path.startsWith("/v1/artifact")) {
        JsonNode request = json.readTree(signed);
        Answer answer =
            path.endsWith("s")
                ? artifactsFrom(request.path("from").asInt())
                : artifact(request.path("number").asInt());
        answer.to(exchange);
        return;
      }
      next(path).to(exchange);
    }
  }

  private boolean hasAnswer(String path) {
    synchronized (answers) {
      return answers.containsKey(path);
    }
  }

  private Answer artifact(int number) {
    byte[] bytes = artifacts.get(number);
    return bytes == null
        ? refusal(404, "NotFound")
        : exchange -> {
          exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
        };
  }

  /** Those up to the last that it has; the ones between that it does not have are lost. */
  private Answer artifactsFrom(int first) {
    int last = artifacts.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    return last < first
        ? refusal(404, "NotFound")
        : framed(
            IntStream.rangeClosed(first, last)
                .mapToObj(number -> frame(number, artifacts.get(number)))
                .toArray(byte[][]::new));
  }

  /** A response to a request for several artifacts. */
  public static Answer framed(byte[]... frames) {
    return exchange -> {
      exchange.sendResponseHeaders(200, Arrays.stream(frames).mapToInt(all -> all.length).sum());
      for (byte[] frame : frames) {
        exchange.getResponseBody().write(frame);
      }
    };
  }

  /** An artifact in such a response; one without bytes is lost. */
  public static byte[] frame(int number, byte @Nullable [] bytes) {
    return ByteBuffer.allocate(12 + (bytes == null ? 0 : bytes.length))
        .putInt(number)
        .putLong(bytes == null ? -1 : bytes.length)
        .put(bytes == null ? new byte[0] : bytes)
        .array();
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
    if (!trusted.id().equals(exchange.getRequestHeaders().getFirst("Assay-Key-Id"))) {
      return "UnknownKey";
    }
    if (signature == null || !verifies(Base64.getDecoder().decode(signature), body)) {
      return "BadSignature";
    }
    JsonNode request = json.readTree(body);
    if (!path.equals("/v1/" + request.path("op").asText())) {
      return "Malformed";
    }
    if (!podUid.equals(request.path("podUid").asText())) {
      return "WrongPod";
    }
    return NONCE.equals(request.path("nonce").asText()) ? "" : "WrongNonce";
  }

  private boolean verifies(byte[] signature, byte[] body) {
    try {
      Signature verifier = Signature.getInstance("Ed25519");
      verifier.initVerify(trusted.publicKey());
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
