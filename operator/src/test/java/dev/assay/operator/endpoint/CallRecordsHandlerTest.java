package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.output.FakeOutputStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class CallRecordsHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/calls";

  private final CountDownLatch reading = new CountDownLatch(2);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    mayEnd.countDown();
    threads.close();
  }

  @Test
  void theRecordsAreLinesOfJsonByTheNumbersOfTheCalls() throws Exception {
    FakeOutputStore outputs = new FakeOutputStore();
    outputs.appendCalls("team-a", "abc1", log(2), true);

    try (HandlerServer server = serve(outputs, Duration.ZERO)) {
      HttpResponse<String> response = server.send("GET", PATH);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type")).contains("application/x-ndjson");
      assertThat(response.body().lines())
          .satisfiesExactly(
              line -> assertThat(line).startsWith("{\"call\":1,").endsWith("}"),
              line -> assertThat(line).startsWith("{\"call\":2,").endsWith("}"));
      assertThat(server.send("GET", PATH.replace("abc1", "abc2")).statusCode()).isEqualTo(404);
      assertThat(server.send("PUT", PATH).statusCode()).isEqualTo(405);
      assertThat(server.send("GET", PATH + "?offset=1").statusCode()).isEqualTo(400);
    }
  }

  /** A shorter list of calls would look like all of them. */
  @Test
  void aLogThatCannotBeReadToItsEndIsNotServedAsIfItWereComplete() throws Exception {
    FakeOutputStore outputs =
        new FakeOutputStore() {
          @Override
          public InputStream calls(String namespace, String runUid, long offset) {
            return new SequenceInputStream(new ByteArrayInputStream(log(3)), failing());
          }
        };

    try (HandlerServer server = serve(outputs, Duration.ZERO)) {
      assertThat(server.send("GET", PATH).body()).contains("{\"call\":2,").endsWith("\n!\n");
    }
  }

  @Test
  void whoeverIsOneTooManyIsToldSoAndMayComeAgain() throws Exception {
    try (HandlerServer server = serve(slow(), Duration.ZERO)) {
      Future<HttpResponse<String>> one = threads.submit(() -> server.send("GET", PATH));
      Future<HttpResponse<String>> other = threads.submit(() -> server.send("GET", PATH));
      reading.await();
      assertThat(server.send("GET", PATH).statusCode()).isEqualTo(503);

      mayEnd.countDown();
      assertThat(one.get().statusCode()).isEqualTo(200);
      assertThat(other.get().statusCode()).isEqualTo(200);
      assertThat(server.send("GET", PATH).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whoeverWaitsFollowsTheOthers() throws Exception {
    try (HandlerServer server = serve(slow(), Duration.ofSeconds(50))) {
      Future<HttpResponse<String>> one = threads.submit(() -> server.send("GET", PATH));
      Future<HttpResponse<String>> other = threads.submit(() -> server.send("GET", PATH));
      reading.await();
      Future<HttpResponse<String>> third = threads.submit(() -> server.send("GET", PATH));

      mayEnd.countDown();
      assertThat(third.get().statusCode()).isEqualTo(200);
      assertThat(one.get().statusCode()).isEqualTo(200);
      assertThat(other.get().statusCode()).isEqualTo(200);
    }
  }

  private static HandlerServer serve(FakeOutputStore outputs, Duration patience)
      throws IOException {
    return new HandlerServer(
        CallRecordsHandler.PATH, new CallRecordsHandler(outputs, patience)::serve);
  }

  private FakeOutputStore slow() {
    return new FakeOutputStore() {
      @Override
      public InputStream calls(String namespace, String runUid, long offset) throws IOException {
        reading.countDown();
        try {
          mayEnd.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        return new ByteArrayInputStream(log(1));
      }
    };
  }

  private static InputStream failing() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("no disk");
      }
    };
  }

  private static byte[] log(int calls) {
    StringBuilder log = new StringBuilder();
    for (int call = 1; call <= calls; call++) {
      log.append(
          """
          {"type": "end", "call": %1$d, "group": %1$d, "subject": {"server": "crm", "tool": "find", \
          "digest": "d", "argumentBytes": 2, "argumentSha256": "a"}, "code": "ACCESS_DENIED", \
          "sent": "no", "resultBytes": 2, "resultSha256": "r", "at": "2026-01-02T03:04:05Z"}
          """
              .formatted(call));
    }
    return log.toString().getBytes(UTF_8);
  }
}
