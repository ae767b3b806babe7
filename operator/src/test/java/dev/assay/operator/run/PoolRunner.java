package dev.assay.operator.run;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.helloOf;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import dev.assay.api.digest.Sha256;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The runner of a warm Pod, as a state machine: it takes one job and starts it once. */
final class PoolRunner implements AutoCloseable {
  private final FakeRunner runner;
  private final String podUid;
  private final Predicate<String> lost;
  private final CountDownLatch codeEnds;
  private State state = State.Idle;
  private int starts;
  private @Nullable String runUid;
  private @Nullable String snapshots;
  private JsonNode job = MissingNode.getInstance();

  private enum State {
    Idle,
    Staged,
    Started,
    Refused
  }

  /** Handles a request, and says what to answer. */
  @FunctionalInterface
  private interface Handling {
    FakeRunner.Answer handle();
  }

  /**
   * A runner that waits for a job.
   *
   * @param lost whether a request or its answer is lost, by names such as {@code stage/before} and
   *     {@code stage/after}
   * @param codeEnds until then its code runs
   */
  PoolRunner(SigningKey key, String podUid, Predicate<String> lost, CountDownLatch codeEnds) {
    this.podUid = podUid;
    this.lost = lost;
    this.codeEnds = codeEnds;
    this.runner = new FakeRunner(key, podUid);
    runner.on("/v1/ready", json(200, "{\"ready\":true}"));
    runner.on("/v1/hello", exchange -> answer("hello", exchange, this::hello));
    runner.on("/v1/stage", exchange -> answer("stage", exchange, this::stage));
    runner.on("/v1/start", exchange -> answer("start", exchange, this::start));
    runner.on("/v1/refuse", exchange -> answer("refuse", exchange, this::refuse));
    runner.on("/v1/ack", exchange -> answer("ack", exchange, () -> json(200, "{}")));
  }

  int port() {
    return runner.port();
  }

  /** All requests so far, in order. */
  List<FakeRunner.Received> received() {
    return List.copyOf(runner.received());
  }

  /** How often code was started. */
  synchronized int starts() {
    return starts;
  }

  /** What its hello identifies the snapshots of its job by; null before it has one. */
  synchronized @Nullable String snapshots() {
    return snapshots;
  }

  /** The job; missing before it has one. */
  synchronized JsonNode job() {
    return job;
  }

  /** Whether it waits for a job. */
  synchronized boolean isIdle() {
    return state == State.Idle;
  }

  private void answer(String step, HttpExchange exchange, Handling handling) throws IOException {
    if (lost.test(step + "/before")) {
      throw new IOException("lost");
    }
    FakeRunner.Answer answer;
    synchronized (this) {
      answer = handling.handle();
    }
    if (!lost.test(step + "/after")) {
      answer.to(exchange);
    }
  }

  private FakeRunner.Answer hello() {
    String features = String.join("\",\"", Hello.DATASETS, Hello.SNAPSHOTS, Hello.REFUSE);
    String hello = helloOf(podUid, state.name()).replace("[\"refuse\"]", "[\"" + features + "\"]");
    return json(
        200,
        runUid == null
            ? hello
            : hello.replace(
                "\"runUid\":null",
                "\"runUid\":\"%s\",\"snapshots\":\"%s\"".formatted(runUid, snapshots)));
  }

  private FakeRunner.Answer stage() {
    JsonNode request = runner.answered();
    String forRun = request.path("runUid").asText();
    if (state == State.Refused) {
      return refusal(409, "Refused");
    }
    if (state != State.Idle) {
      return refusal(409, forRun.equals(runUid) ? "BytesChanged" : "RunMismatch");
    }
    runUid = forRun;
    job = request.path("job");
    snapshots = digest(request.at("/job/datasets"));
    state = State.Staged;
    return json(200, "{\"state\":\"Staged\"}");
  }

  /** As the runner protocol defines it. */
  private static String digest(JsonNode datasets) {
    StringBuilder named = new StringBuilder();
    for (JsonNode dataset : datasets) {
      named.append(dataset.path("name").asText()).append(' ');
      named.append(dataset.path("path").asText()).append('\0');
    }
    return Sha256.hex(named.toString());
  }

  private FakeRunner.Answer refuse() {
    if (state == State.Started) {
      return refusal(409, "Started");
    }
    state = State.Refused;
    return json(200, "{\"state\":\"Refused\"}");
  }

  /** A job that was started is followed. */
  private FakeRunner.Answer start() {
    if (state == State.Refused) {
      return refusal(409, "Refused");
    }
    if (state == State.Idle) {
      return refusal(409, "NotStaged");
    }
    if (!runner.answered().path("runUid").asText().equals(runUid)) {
      return refusal(409, "RunMismatch");
    }
    if (state == State.Staged) {
      starts++;
    }
    state = State.Started;
    return events(started(1))
        .then(meanwhile(codeEnds::await))
        .then(more(result(2, "Succeeded", 0)));
  }

  @Override
  public void close() {
    runner.close();
  }
}
