package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An endpoint with the limits of production, and clients that hold on to all that they can get. */
class BusyEndpointTest {
  private static final int MAX_CALLS = 256;
  private static final int MAX_CALLS_PER_CALLER = 128;
  private static final int MAX_CONNECTIONS = 3 * MAX_CALLS + 256;
  private static final String PING =
      """
      {"jsonrpc":"2.0","id":1,"method":"ping"}""";

  private static final String WAITING =
      """
      {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_custom_analytics_code",
       "arguments":{"dataset_name":"sales_data","python_code":"x","wait_seconds":600}}}""";

  private final TestEndpoint endpoint =
      new TestEndpoint(
          MAX_CALLS,
          MAX_CALLS_PER_CALLER,
          new RequestMemory(Long.MAX_VALUE),
          HttpEndpoint.Times.DEFAULT);

  private final List<Socket> sockets = new ArrayList<>();

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    endpoint.runs.created.forEach(run -> endpoint.runs.status(run, Fixtures.succeeded("done")));
    endpoint.close();
  }

  @Test
  void aRequestWithoutAKeyIsRefusedBeforeItsBodyArrives() throws IOException {
    for (int i = 0; i < 100; i++) {
      sockets.add(halfSent("/mcp", ""));
      sockets.add(halfSent("/api/v1/runs", "X-API-Key: wrong\r\n"));
      sockets.add(halfSent("/mcp", "Origin: https://evil.example\r\n"));
    }

    assertThat(statusOf(sockets.getFirst())).isEqualTo("401");
    assertThat(statusOf(sockets.get(1))).isEqualTo("401");
    assertThat(statusOf(sockets.get(2))).isEqualTo("403");
    assertThat(statusOf(sockets.getLast())).isEqualTo("403");
    assertThat(ping("bob-key").statusCode()).isEqualTo(200);
  }

  @Test
  @Tag("slow")
  void sevenHundredHalfSentBodiesOfOneKeyTakeItsShareAndNothingElse() throws IOException {
    for (int i = 0; i < 700; i++) {
      sockets.add(halfSent("/mcp", "X-API-Key: alice-key\r\n"));
    }

    assertThat(ping("bob-key").statusCode()).isEqualTo(200);
    List<String> statuses = new ArrayList<>();
    for (Socket socket : sockets) {
      statuses.add(statusOf(socket));
    }
    assertThat(statuses).contains("408", "429").containsOnly("408", "429");
  }

  /** Each has a Pod while its bytes come. */
  @Test
  void slowUploadsOfOneCallerTakeFewPodsAndNoneOfAnother() throws IOException {
    endpoint.datasets.newOnesBecome(DatasetPhase.Uploading);
    for (int i = 0; i < 8; i++) {
      Socket socket = connect();
      String head =
          """
          PUT /api/v1/datasets/a%d?format=csv HTTP/1.1\r
          Host: localhost\r
          X-API-Key: alice-key\r
          Content-Length: 100000\r
          \r
          x"""
              .formatted(i);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      sockets.add(socket);
    }
    await(() -> endpoint.metrics().contains("assay_frontend_in_progress{kind=\"load\"} 8.0\n"));

    assertThat(upload("alice-key").statusCode()).isEqualTo(429);
    assertThat(upload("bob-key").statusCode()).isEqualTo(201);
  }

  private HttpResponse<String> upload(String key) {
    return endpoint.send(
        HttpRequest.newBuilder(URI.create(endpoint.url() + "/api/v1/datasets/b?format=csv"))
            .header("X-API-Key", key)
            .PUT(HttpRequest.BodyPublishers.ofString("x\n1\n"))
            .build());
  }

  @Tag("slow")
  @Test
  void asManyCallsAsTheLimitAllowsWaitWhileOthersAreServed() throws IOException {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    // A quarter of the calls each: half of them would exceed the rate of new runs of one caller.
    for (int i = 0; i < MAX_CALLS / 4; i++) {
      for (String key : List.of("alice-key", "bob-key", "dora-auditing-key", "erin-leading-key")) {
        sockets.add(sent(key, WAITING));
      }
    }
    await(() -> endpoint.runs.created.size() == MAX_CALLS);
    while (sockets.size() < MAX_CONNECTIONS) {
      sockets.add(connect());
    }

    assertThat(ping("carol-reading-key").statusCode()).isEqualTo(200);
    assertThat(ping("alice-key").statusCode()).isEqualTo(200);
    HttpResponse<String> oneMore =
        endpoint.send(endpoint.request(WAITING).header("X-API-Key", "carol-reading-key").build());
    assertThat(oneMore.statusCode()).isEqualTo(429);
    assertThat(oneMore.body()).contains("256 calls are in progress, which is the limit");
    assertThat(endpoint.metrics()).contains("kind=\"call\"} 256.0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "text/event-stream"})
  void aQuickReplyTakesMemoryHoweverItIsSent(String accept) {
    try (TestEndpoint full =
        new TestEndpoint(
            1,
            1,
            new RequestMemory(Long.MAX_VALUE),
            new ReplyMemory(1, 1, Duration.ZERO),
            HttpEndpoint.Times.DEFAULT)) {
      HttpResponse<String> response =
          full.send(
              full.request(PING)
                  .setHeader("Accept", accept)
                  .header("X-API-Key", "alice-key")
                  .build());

      assertThat(response.statusCode()).isEqualTo(429);
    }
  }

  @Test
  void oneCallerHasHalfOfTheConnectionsInProgress() throws IOException {
    TestEndpoint small =
        new TestEndpoint(
            1,
            1,
            new RequestMemory(Long.MAX_VALUE),
            new ReplyMemory(1, 1, Duration.ofHours(1)),
            HttpEndpoint.Times.DEFAULT);
    int connections = 3 + 256;
    try {
      for (int i = 0; i < connections / 2; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), small.port());
        sockets.add(socket);
        // No memory for its reply ever comes free.
        socket.getOutputStream().write(request("alice-key", PING).getBytes(UTF_8));
      }
      await(() -> small.metrics().contains("assay_frontend_serving " + connections / 2 + ".0\n"));

      assertThat(small.post(PING).statusCode()).isEqualTo(429);
      assertThat(small.post(PING).body()).contains("requests in progress for one caller");
      assertThat(
              small.send(small.request("{}").header("X-API-Key", "bob-key").build()).statusCode())
          .isEqualTo(400);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
      small.close();
    }
  }

  @Test
  void whoHasNoKeyIsAskedToSlowDownAndARightKeyFromThereIsNot() throws IOException {
    for (int i = 0; i < 400; i++) {
      sockets.add(halfSent("/mcp", "X-API-Key: wrong\r\n"));
    }
    List<String> statuses = new ArrayList<>();
    for (Socket socket : sockets) {
      statuses.add(statusOf(socket));
    }

    assertThat(statuses).contains("401", "429").containsOnly("401", "429");
    assertThat(ping("alice-key").statusCode()).isEqualTo(200);
  }

  @Test
  void whoExceedsTheRateIsAskedToRetryAndOthersAreNot() {
    try (TestEndpoint slow = TestEndpoint.withRequestsPerSecond(1)) {
      List<Integer> statuses =
          IntStream.range(0, 100).map(i -> slow.post(PING).statusCode()).boxed().toList();

      assertThat(statuses).startsWith(200, 200, 200, 200, 200).contains(429);
      assertThat(slow.send(slow.request(PING).header("X-API-Key", "bob-key").build()).statusCode())
          .isEqualTo(200);
    }
  }

  private HttpResponse<String> ping(String key) {
    return endpoint.send(endpoint.request(PING).header("X-API-Key", key).build());
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** A request that has one byte of its body. */
  private Socket halfSent(String path, String headers) throws IOException {
    Socket socket = connect();
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\n"
            .formatted(path, headers);
    socket.getOutputStream().write((head + "Content-Length: 100000\r\n\r\n{").getBytes(US_ASCII));
    return socket;
  }

  private Socket sent(String key, String body) throws IOException {
    Socket socket = connect();
    socket.getOutputStream().write(request(key, body).getBytes(UTF_8));
    return socket;
  }

  private static String request(String key, String body) {
    return """
        POST /mcp HTTP/1.1\r
        Host: localhost\r
        X-API-Key: %s\r
        Accept: application/json, text/event-stream\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        %s"""
        .formatted(key, body.getBytes(UTF_8).length, body);
  }

  private static String statusOf(Socket socket) throws IOException {
    byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 401".length());
    return new String(line, US_ASCII).replace("HTTP/1.1 ", "");
  }
}
