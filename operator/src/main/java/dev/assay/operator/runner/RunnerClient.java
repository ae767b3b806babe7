package dev.assay.operator.runner;

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
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client of the runner protocol: follows no redirects, decompresses nothing, and limits what it
 * reads.
 */
public final class RunnerClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final long MIN_BYTES_PER_MILLI = 1024;
  private static final int MAX_ANSWER_BYTES = 16 * 1024;
  private static final int MAX_HELLO_TEXT = 64;
  private static final int SHORT_OUTCOME = 64 * 1024;
  private static final int HTTP_OK = 200;

  private static final int ATTEMPTS = 3;

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final Clock clock;
  private final SignedRequests requests;
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
    this.requests = new SignedRequests(clock);
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

  /** Whether the worker of the runner at an address has imported its libraries. */
  public boolean isReady(RunnerAddress address) throws IOException, RunnerRefusedException {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/ready")).timeout(ANSWER_TIMEOUT).GET().build();
    try {
      return JSON.readTree(readAll(send(request))).path("ready").asBoolean();
    } catch (RunnerRefusedException e) {
      if ("NotReady".equals(e.code())) {
        return false;
      }
      throw e;
    }
  }

  /** The outcome of an attempt of a runner to open a connection. */
  public enum Egress {
    REFUSED,
    CONNECTED,
    UNKNOWN
  }

  /** Has the runner at an address try to connect to what its Pod must be refused at. */
  public Egress egress(RunnerAddress address) throws IOException, RunnerRefusedException {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve("/v1/egress")).timeout(ANSWER_TIMEOUT).GET().build();
    return switch (JSON.readTree(readAll(send(request))).path("egress").asText()) {
      case "refused" -> Egress.REFUSED;
      case "connected" -> Egress.CONNECTED;
      default -> Egress.UNKNOWN;
    };
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
    HttpRequest request =
        SignedRequests.put(
                binding,
                requests.body(binding, "source").put("bytes", bytes),
                bytes,
                () -> new DigestInputStream(body, digest))
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

  /**
   * Sends an artifact of an earlier run, before the job that reads it is staged; returns when the
   * Pod has it on disk. A repeat replaces it.
   *
   * @param number under which the job names it
   * @param bytes its length
   * @param sha256 its digest, in hexadecimal, which the Pod verifies
   * @param content read to its end only if the Pod takes all of it
   * @throws IOException if it cannot be read, or the Pod does not accept it
   */
  public void input(Binding binding, int number, long bytes, String sha256, InputStream content)
      throws IOException, RunnerRefusedException {
    ObjectNode head =
        requests
            .body(binding, "input")
            .put("number", number)
            .put("bytes", bytes)
            .put("sha256", sha256);
    readAll(
        send(
            SignedRequests.put(binding, head, bytes, () -> content)
                .timeout(transferTime(bytes))
                .build()));
  }

  /**
   * Delivers the outcome of a call of a tool. A repeat changes nothing.
   *
   * @param call its number
   * @param bytes the length of the outcome
   * @param sha256 its digest, in hexadecimal, which the Pod verifies
   * @param outcome read to its end only if the Pod takes all of it
   * @throws IOException if it cannot be read, or the Pod does not accept it
   * @throws RunnerRefusedException if the call is not open, has another outcome, or may not have
   *     such a long one
   */
  public void toolResult(Binding binding, int call, long bytes, String sha256, InputStream outcome)
      throws IOException, RunnerRefusedException {
    ObjectNode head =
        requests
            .body(binding, "tool-result")
            .put("call", call)
            .put("bytes", bytes)
            .put("sha256", sha256);
    readAll(
        send(
            SignedRequests.put(binding, head, bytes, () -> outcome)
                // A short one is sent at once: code waits for each round trip.
                .expectContinue(bytes > SHORT_OUTCOME)
                .timeout(transferTime(bytes))
                .build()));
  }

  /**
   * Fetches artifacts: with one request, if the runner supports that.
   *
   * @param wanted consecutive, as they were announced; all that there are after the first of them
   * @param atMost how long all of them may take
   * @throws ArtifactLostException if the Pod does not deliver them
   * @throws RunnerRefusedException if it has none of them
   */
  public ArtifactFetch artifacts(
      Binding binding, List<RunnerEvent.Artifact> wanted, Duration atMost)
      throws IOException, RunnerRefusedException {
    if (!binding.features().contains(Hello.ARTIFACT_STREAM)) {
      long end = System.nanoTime() + atMost.toNanos();
      return new SingleArtifacts(
          wanted,
          artifact ->
              body(
                  posted(
                      binding, requests.body(binding, "artifact").put("number", artifact.number())),
                  length -> length == artifact.bytes(),
                  Duration.ofNanos(end - System.nanoTime())));
    }
    int first = wanted.getFirst().number();
    long longest = StreamedArtifacts.maxBytes(wanted);
    return new StreamedArtifacts(
        body(
            posted(binding, requests.body(binding, "artifacts").put("from", first)),
            length -> length >= 0 && length <= longest,
            atMost),
        wanted);
  }

  private TimedBody body(HttpRequest request, LongPredicate fits, Duration atMost)
      throws IOException, RunnerRefusedException {
    HttpResponse<InputStream> response;
    try {
      response = send(request);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      throw new ArtifactLostException("the Pod did not respond");
    }
    if (!fits.test(response.headers().firstValueAsLong("Content-Length").orElse(-1))) {
      TimedBody.closeQuietly(response.body());
      throw new ArtifactLostException("the Pod sends another number of bytes than announced");
    }
    return new TimedBody(response.body(), timer, atMost);
  }

  /** How long a transfer of so many bytes may take: a slower one would only occupy a Pod. */
  public static Duration transferTime(long bytes) {
    return ANSWER_TIMEOUT.plusMillis(bytes / MIN_BYTES_PER_MILLI);
  }

  /** Stages a job in the Pod. It does not run before {@link #start}. */
  public void stage(Binding binding, Job job) throws IOException, RunnerRefusedException {
    ObjectNode body = requests.body(binding, "stage");
    body.set("job", JSON.valueToTree(job));
    repeated(posted(binding, body));
  }

  /** Sends a request that changes nothing where it is repeated. */
  private void repeated(HttpRequest request) throws IOException, RunnerRefusedException {
    for (int attempt = 1; ; attempt++) {
      try {
        readAll(send(request));
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
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
    return stream(binding, requests.body(binding, "start"), 0, maxTotalBytes);
  }

  /** Signs what {@link #start(Binding, long)} sends. */
  public SignedStart signStart(Binding binding) {
    return new SignedStart(posted(binding, requests.body(binding, "start")), clock.instant());
  }

  /** Starts the staged job as {@link #start(Binding, long)} does. */
  EventStream start(SignedStart start, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    return new EventStream(send(start.request()).body(), timer, 0, maxTotalBytes);
  }

  /** Follows a started job from the event after {@code afterSeq}. */
  public EventStream attach(Binding binding, long afterSeq, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    ObjectNode body = requests.body(binding, "attach").put("afterSeq", afterSeq);
    return stream(binding, body, afterSeq, maxTotalBytes);
  }

  /** Cancels a job; its result has outcome Cancelled. */
  public void cancel(Binding binding) throws IOException, RunnerRefusedException {
    readAll(send(posted(binding, requests.body(binding, "cancel"))));
  }

  /**
   * Has the runner start nothing from now on, whatever it is sent; a repeat changes nothing.
   *
   * @throws RunnerRefusedException with {@code Started} if it has started a run
   */
  public void refuse(Binding binding) throws IOException, RunnerRefusedException {
    repeated(posted(binding, requests.body(binding, "refuse")));
  }

  /** Acknowledges that everything up to an event is stored. */
  public void ack(Binding binding, long seq) throws IOException, RunnerRefusedException {
    readAll(send(posted(binding, requests.body(binding, "ack").put("seq", seq))));
  }

  private EventStream stream(Binding binding, ObjectNode body, long afterSeq, long maxTotalBytes)
      throws IOException, RunnerRefusedException {
    InputStream events = send(posted(binding, body)).body();
    return new EventStream(events, timer, afterSeq, maxTotalBytes);
  }

  private static HttpRequest posted(Binding binding, ObjectNode body) {
    return SignedRequests.post(binding, body, ANSWER_TIMEOUT);
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
        timer.schedule(
            () -> TimedBody.closeQuietly(body), ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
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
