package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.digest.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of the runner protocol: follows no redirects, decompresses nothing, and limits what it
 * reads.
 */
public final class RunnerClient implements AutoCloseable {
  private static final byte[] SIGNED_PREFIX = "assay-runner/v1\n".getBytes(UTF_8);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SIGNATURE_AGE = Duration.ofMinutes(2);
  private static final int MAX_ANSWER_BYTES = 16 * 1024;
  private static final int MAX_HELLO_TEXT = 64;
  private static final int HTTP_OK = 200;

  /**
   * Serializes the same bytes each time, so that a retry after a lost response is the same request.
   */
  private static final int STAGE_ATTEMPTS = 3;

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final Clock clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer = timer();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT_TIMEOUT)
          .executor(threads)
          .build();

  public RunnerClient(Clock clock) {
    this.clock = clock;
  }

  /** Whether it cannot connect to any Pod any more: closed, or its polling thread has died. */
  public boolean isTerminated() {
    return http.isTerminated();
  }

  /** A timeout that did not expire leaves nothing in the queue. */
  private static ScheduledExecutorService timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("runner-silence").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Requests the identity of the runner at an address. */
  public Hello hello(RunnerAddress address) throws IOException, RunnerRefusedException {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/hello")).timeout(ANSWER_TIMEOUT).GET().build();
    byte[] answer = readAll(send(request));
    Hello hello;
    try {
      hello = JSON.readValue(answer, Hello.class);
    } catch (JsonProcessingException e) {
      throw new IOException("the hello response is malformed");
    }
    if (!isComplete(hello)) {
      throw new IOException("the hello response lacks required fields");
    }
    return hello;
  }

  /**
   * Sends the bytes of an uploaded source, before the job that reads them is staged; returns when
   * the Pod has them on disk. Blocks as long as {@code body} does.
   *
   * @param bytes its length
   * @param body read to its end only if the Pod takes all of it
   * @throws IOException if the body cannot be read, or the Pod does not accept it
   */
  public Job.Upload upload(Binding binding, long bytes, InputStream body)
      throws IOException, RunnerRefusedException {
    MessageDigest digest = Sha256.digest();
    HttpRequest.BodyPublisher source =
        bytes == 0
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> new DigestInputStream(body, digest)),
                bytes);
    byte[] head = write(body(binding, "source").put("bytes", bytes));
    HttpRequest request =
        signed(binding, "source", head)
            .header("Assay-Request", Base64.getEncoder().encodeToString(head))
            // So that a refusal is received before the first byte is sent.
            .expectContinue(bytes > 0)
            .PUT(source)
            .build();
    // The Pod must have received exactly what was sent; nothing else of its response is used.
    JsonNode received = JSON.readTree(readAll(send(request)));
    Job.Upload sent = new Job.Upload(bytes, HexFormat.of().formatHex(digest.digest()));
    if (received.path("bytes").asLong(-1) != sent.bytes()
        || !received.path("sha256").asText().equals(sent.sha256())) {
      throw new IOException("the Pod received different bytes than were sent");
    }
    return sent;
  }

  /** Stages a job in the Pod. It does not run before {@link #start}. */
  public void stage(Binding binding, Job job) throws IOException, RunnerRefusedException {
    ObjectNode body = body(binding, "stage");
    body.set("job", JSON.valueToTree(job));
    HttpRequest request = posted(binding, "stage", body);
    for (int attempt = 1; ; attempt++) {
      try {
        readAll(send(request));
        return;
      } catch (IOException e) {
        if (attempt == STAGE_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Starts the staged job, once; a repeat attaches.
   *
   * @param maxTotalBytes maximum number of bytes to read from the stream
   */
  public EventStream start(Binding binding, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    return stream(binding, "start", body(binding, "start"), 0, maxTotalBytes);
  }

  /** Follows a started job from the event after {@code afterSeq}. */
  public EventStream attach(Binding binding, long afterSeq, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    ObjectNode body = body(binding, "attach").put("afterSeq", afterSeq);
    return stream(binding, "attach", body, afterSeq, maxTotalBytes);
  }

  /** Cancels a job; its result has outcome Cancelled. */
  public void cancel(Binding binding) throws IOException, RunnerRefusedException {
    readAll(send(posted(binding, "cancel", body(binding, "cancel"))));
  }

  /** Acknowledges that everything up to an event is stored. */
  public void ack(Binding binding, long seq) throws IOException, RunnerRefusedException {
    readAll(send(posted(binding, "ack", body(binding, "ack").put("seq", seq))));
  }

  private EventStream stream(
      Binding binding, String op, ObjectNode body, long afterSeq, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    InputStream events = send(posted(binding, op, body)).body();
    return new EventStream(events, timer, afterSeq, maxTotalBytes);
  }

  private ObjectNode body(Binding binding, String op) {
    return JSON.createObjectNode()
        .put("op", op)
        .put("namespace", binding.namespace())
        .put("runUid", binding.runUid())
        .put("podUid", binding.podUid())
        .put("nonce", binding.nonce())
        .put("notAfter", clock.instant().plus(SIGNATURE_AGE).toEpochMilli());
  }

  private static byte[] write(ObjectNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A request could not be serialized", e);
    }
  }

  private static HttpRequest posted(Binding binding, String op, ObjectNode body) {
    byte[] bytes = write(body);
    return signed(binding, op, bytes)
        .timeout(ANSWER_TIMEOUT)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(bytes))
        .build();
  }

  private static HttpRequest.Builder signed(Binding binding, String op, byte[] bytes) {
    byte[] signed = new byte[SIGNED_PREFIX.length + bytes.length];
    System.arraycopy(SIGNED_PREFIX, 0, signed, 0, SIGNED_PREFIX.length);
    System.arraycopy(bytes, 0, signed, SIGNED_PREFIX.length, bytes.length);
    return HttpRequest.newBuilder(binding.address().resolve("/v1/" + op))
        .header("Assay-Key-Id", binding.key().id())
        .header("Assay-Signature", Base64.getEncoder().encodeToString(binding.key().sign(signed)));
  }

  private HttpResponse<InputStream> send(HttpRequest request)
      throws IOException, RunnerRefusedException {
    HttpResponse<InputStream> response;
    try {
      response = http.send(request, BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
    if (response.statusCode() != HTTP_OK) {
      throw new RunnerRefusedException(response.statusCode(), errorCode(readAll(response)));
    }
    return response;
  }

  /** The client's own timeout covers only the headers of a response; this one covers its body. */
  private byte[] readAll(HttpResponse<InputStream> response) throws IOException {
    InputStream body = response.body();
    var overdue =
        timer.schedule(() -> closeQuietly(body), ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    try (body) {
      byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES);
      if (body.read() >= 0) {
        throw new IOException("a response is longer than " + MAX_ANSWER_BYTES + " bytes");
      }
      return bytes;
    } finally {
      overdue.cancel(false);
    }
  }

  private static void closeQuietly(InputStream body) {
    try {
      body.close();
    } catch (IOException e) {
      // The response is abandoned either way.
    }
  }

  /** A hostile response can contain null where the type does not allow it. */
  @SuppressWarnings("ConstantValue")
  private static boolean isComplete(@Nullable Hello hello) {
    return hello != null
        && Stream.of(hello.podUid(), hello.nonce(), hello.state())
            .allMatch(text -> Objects.nonNull(text) && text.length() <= MAX_HELLO_TEXT);
  }

  private static String errorCode(byte[] answer) {
    try {
      JsonNode code = JSON.readTree(answer).path("error").path("code");
      return code.isTextual() && code.textValue().matches("[A-Za-z]{1,32}")
          ? code.textValue()
          : "unknown";
    } catch (IOException e) {
      return "unknown";
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    timer.shutdownNow();
    threads.close();
  }
}
