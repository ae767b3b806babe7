package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
 * Speaks the runner protocol to one Pod at a time: follows no redirect, decompresses nothing, and
 * reads no more than it asked for.
 */
public final class RunnerClient implements AutoCloseable {
  private static final byte[] SIGNED_PREFIX = "assay-runner/v1\n".getBytes(UTF_8);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SIGNATURE_AGE = Duration.ofMinutes(2);
  private static final int MAX_ANSWER_BYTES = 16 * 1024;
  private static final int MAX_HELLO_TEXT = 64;
  private static final int HTTP_OK = 200;

  /** The same bytes each time, so that a repeat after a lost answer is the same request. */
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

  /** Whether it can reach no Pod any more: closed, or the thread that polls has died. */
  public boolean isTerminated() {
    return http.isTerminated();
  }

  /** A time limit that was kept leaves nothing behind. */
  private static ScheduledExecutorService timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("runner-silence").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Asks who answers at an address. */
  public Hello hello(RunnerAddress address) throws IOException, RunnerRefusedException {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/hello")).timeout(ANSWER_TIMEOUT).GET().build();
    byte[] answer = readAll(send(request));
    Hello hello;
    try {
      hello = JSON.readValue(answer, Hello.class);
    } catch (JsonProcessingException e) {
      throw new IOException("hello was not understood");
    }
    if (!isComplete(hello)) {
      throw new IOException("hello lacks what it must tell");
    }
    return hello;
  }

  /**
   * Brings the bytes of an uploaded source, before the job that reads them is staged; returns when
   * the Pod has them on disk. Takes as long as they take to come.
   *
   * @param bytes how many there are
   * @param body read to its end only where all are taken
   * @throws IOException where they do not come, or the Pod does not take them
   */
  public Job.Upload upload(Binding binding, long bytes, InputStream body)
      throws IOException, RunnerRefusedException {
    MessageDigest digest = sha256();
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
            // So that a refusal is heard before the first byte is sent.
            .expectContinue(bytes > 0)
            .PUT(source)
            .build();
    // What has arrived is what was sent, or it is refused: nothing else is taken from the answer.
    JsonNode received = JSON.readTree(readAll(send(request)));
    Job.Upload sent = new Job.Upload(bytes, HexFormat.of().formatHex(digest.digest()));
    if (received.path("bytes").asLong(-1) != sent.bytes()
        || !received.path("sha256").asText().equals(sent.sha256())) {
      throw new IOException("other bytes have arrived than were sent");
    }
    return sent;
  }

  /** Leaves a job in the Pod. It does not run before {@link #start}. */
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
   * @param maxTotalBytes most bytes to read of the stream
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

  /** Stops a job; its result tells so. */
  public void cancel(Binding binding) throws IOException, RunnerRefusedException {
    readAll(send(posted(binding, "cancel", body(binding, "cancel"))));
  }

  /** Tells that everything up to an event is stored. */
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
      throw new IllegalStateException("A request could not be written", e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
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

  /** The client's own time limit ends with the headers of an answer; this one is for its body. */
  private byte[] readAll(HttpResponse<InputStream> response) throws IOException {
    InputStream body = response.body();
    var overdue =
        timer.schedule(() -> closeQuietly(body), ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    try (body) {
      byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES);
      if (body.read() >= 0) {
        throw new IOException("an answer is longer than " + MAX_ANSWER_BYTES + " bytes");
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
      // The answer is given up either way.
    }
  }

  /** A hostile answer can put null where the type has none. */
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
