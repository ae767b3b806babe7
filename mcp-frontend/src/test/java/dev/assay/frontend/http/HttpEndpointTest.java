package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.limit.SharedQuota;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpEndpointTest {
  private static final String PING =
      """
      {"jsonrpc":"2.0","id":1,"method":"ping"}""";

  private static final int TEN_MEGABYTES = 10_000_000;

  private final TestEndpoint endpoint = new TestEndpoint();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aKeyIsNeeded() {
    HttpResponse<String> response = endpoint.send(endpoint.request(PING).build());

    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(response.headers().firstValue("WWW-Authenticate"))
        .hasValueSatisfying(value -> assertThat(value).startsWith("Bearer"));
    assertThat(response.body()).contains("An API key is needed");
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization,Bearer alice-key,200",
    "Authorization,bearer alice-key,200",
    "X-API-Key,alice-key,200",
    "Authorization,Bearer wrong,401",
    "Authorization,Basic alice-key,401",
    "X-API-Key,wrong,401"
  })
  void aKeyComesInEitherHeader(String header, String value, int status) {
    assertThat(endpoint.send(endpoint.request(PING).header(header, value).build()).statusCode())
        .isEqualTo(status);
  }

  @Test
  void aBrowserOfAnotherOriginIsRefusedAndOneThatIsAllowedIsNot() {
    HttpResponse<String> refused =
        endpoint.send(
            endpoint
                .request(PING)
                .header("Authorization", "Bearer alice-key")
                .header("Origin", "https://evil.example")
                .build());
    HttpResponse<String> allowed =
        endpoint.send(
            endpoint
                .request(PING)
                .header("Authorization", "Bearer alice-key")
                .header("Origin", "https://chat.example")
                .build());

    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(allowed.statusCode()).isEqualTo(200);
    assertThat(allowed.headers().firstValue("Access-Control-Allow-Origin"))
        .hasValue("https://chat.example");
  }

  @Test
  void aHostThatIsNotOursIsRefused() throws IOException {
    assertThat(raw("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n"))
        .startsWith("HTTP/1.1 403");
    assertThat(raw("POST /mcp HTTP/1.1\r\nHost: assay.example:80\r\nContent-Length: 0\r\n\r\n"))
        .startsWith("HTTP/1.1 401");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "TRACE2"})
  void onlyPostAndDeleteAreServed(String method) {
    HttpResponse<String> response =
        endpoint.send(
            HttpRequest.newBuilder(URI.create(endpoint.url() + "/mcp"))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build());

    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("Allow")).hasValue("POST, DELETE");
  }

  @Test
  void otherPathsAreNotFoundAndHealthIsTold() {
    assertThat(get("/").statusCode()).isEqualTo(404);
    assertThat(get("/mcp/x").statusCode()).isEqualTo(404);
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void aHugeBodyIsRefusedWhetherItsLengthIsToldOrNot() {
    String huge = " ".repeat(TestEndpoint.MAX_REQUEST_BYTES + 1);
    HttpResponse<String> told = endpoint.post(huge);
    HttpResponse<String> chunked =
        endpoint.send(
            endpoint
                .request("")
                .header("Authorization", "Bearer alice-key")
                .POST(
                    HttpRequest.BodyPublishers.fromPublisher(
                        HttpRequest.BodyPublishers.ofString(huge)))
                .build());

    assertThat(told.statusCode()).isEqualTo(413);
    assertThat(chunked.statusCode()).isEqualTo(413);
    assertThat(told.body())
        .startsWith("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,")
        .contains("16777216")
        .isEqualTo(chunked.body());
    assertSaysNothingOfOurInsides(told.body());
  }

  @Test
  void anArgumentOf10MegabytesIsRefusedAsAnyOtherThatIsTooLongOrUploaded() {
    endpoint.datasets.newOnesBecome(DatasetPhase.Uploading);
    String digits = "1234567890";
    HttpResponse<String> code =
        endpoint.post(
            """
            {"jsonrpc":"2.0","id":"late","method":"tools/call","params":{
             "name":"execute_custom_analytics_code",
             "arguments":{"dataset_name":"d","python_code":"%s"}}}"""
                .formatted(digits.repeat(TEN_MEGABYTES / digits.length())));
    String row = "{\"a\":1},";
    HttpResponse<String> records =
        endpoint.post(
            """
            {"params":{"arguments":{"records":[%s{}],"dataset_name":"d"},"name":"load_dataset"},
             "method":"tools/call","id":7,"jsonrpc":"2.0"}"""
                .formatted(row.repeat(TEN_MEGABYTES / row.length())));

    assertThat(code.statusCode()).isEqualTo(200);
    assertThat(code.body())
        .contains("\"id\":\"late\"")
        .contains("\"isError\":true")
        .contains(
            "EXECUTION ERROR: ValueError: 'python_code' has 10000000 bytes of UTF-8; at most 262144"
                + " are allowed\"");
    assertThat(records.statusCode()).isEqualTo(200);
    assertThat(records.body())
        .contains("\"id\":7")
        .contains("\"isError\":false")
        .contains("Dataset 'd' is ready");
    assertThat(endpoint.uploads.sent().getFirst().bytes()).hasSize(10_000_004);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void whereThereIsNoMemoryForARequestItIsAskedToComeAgain() {
    RequestMemory memory = new RequestMemory(100_000);
    try (TestEndpoint small = new TestEndpoint(16, memory, TestEndpoint.SHORT_TIMES)) {
      HttpResponse<String> large = small.post(" ".repeat(1_000_000));
      awaitFree(memory, 100_000);
      HttpResponse<String> wide =
          small.post(
              """
              {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"load_dataset",
               "arguments":{"dataset_name":"d","records":[%s{}]}}}"""
                  .formatted("{\"a\":1},".repeat(1_000)));
      awaitFree(memory, 100_000);

      assertThat(large.statusCode()).isEqualTo(429);
      assertThat(large.headers().firstValue("Retry-After")).hasValue("1");
      assertThat(large.body()).doesNotContain("\"id\"").contains("retry");
      assertThat(wide.statusCode()).isEqualTo(429);
      assertThat(wide.body()).contains("\"id\":4").contains("retry");
      assertThat(small.post(PING).statusCode()).isEqualTo(200);
    }
  }

  /** A request has been answered a little before it gives its memory back. */
  private static void awaitFree(RequestMemory memory, long bytes) {
    await(
        () -> {
          try (RequestMemory.Share all = memory.share(TestEndpoint.ALICE)) {
            return all.hold(bytes) == SharedQuota.Decision.GRANTED;
          }
        });
  }

  @Test
  void aCallThatWaitsHoldsOnlyWhatWasReadOfIt() throws InterruptedException {
    String call =
        " ".repeat(1_000_000)
            + """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
             "name":"execute_custom_analytics_code",
             "arguments":{"dataset_name":"sales_data","python_code":"x"}}}""";
    try (TestEndpoint small =
        new TestEndpoint(16, new RequestMemory(4_000_000), TestEndpoint.SHORT_TIMES)) {
      small.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      HttpRequest request = small.request(call).header("X-API-Key", "alice-key").build();

      var first = small.client().sendAsync(request, HttpResponse.BodyHandlers.ofString());
      assertThat(small.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
      var second = small.client().sendAsync(request, HttpResponse.BodyHandlers.ofString());
      assertThat(small.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

      small.runs.created.forEach(run -> small.runs.status(run, Fixtures.succeeded("done")));
      assertThat(first.join().body()).contains("done");
      assertThat(second.join().body()).contains("done");
    }
  }

  @Test
  void aStrangersBodyIsPassedOverSoThatTheAnswerArrives() {
    for (int i = 0; i < 20; i++) {
      assertThat(endpoint.send(endpoint.request(" ".repeat(900_000)).build()).statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void hugeHeadersAreRefused() {
    HttpResponse<String> response =
        endpoint.send(endpoint.request(PING).header("X-API-Key", "k".repeat(10_000)).build());

    assertThat(response.statusCode()).isEqualTo(431);
    assertSaysNothingOfOurInsides(response.body());
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/jsonx"})
  void onlyJsonIsRead(String type) {
    HttpResponse<String> response =
        endpoint.send(
            endpoint
                .request(PING)
                .setHeader("Content-Type", type)
                .header("X-API-Key", "alice-key")
                .build());

    assertThat(response.statusCode()).isEqualTo(415);
  }

  /** 2025-03-26 requires batches, which are not supported. */
  @ParameterizedTest
  @ValueSource(strings = {"1999-01-01", "2025-03-26", "2026-07-28"})
  void anUnknownVersionOfTheProtocolIsRefusedWithTheKnownOnes(String version) {
    HttpResponse<String> response =
        endpoint.send(
            endpoint
                .request(PING.replace("\"id\":1", "\"id\":41"))
                .header("MCP-Protocol-Version", version)
                .header("X-API-Key", "alice-key")
                .build());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body())
        .contains("supported are 2025-06-18, 2025-11-25\"")
        .contains("\"id\":41,");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/register",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration"
      })
  void aClientThatLooksForALoginIsToldThatItsKeyIsWrong(String path) {
    HttpResponse<String> response = get(path);

    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body())
        .contains("\"error\":\"invalid_request\"")
        .contains("No OAuth here: the API key is missing or wrong.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "9223372036854775807|200|\"id\":9223372036854775807,\"result\"",
        "9223372036854775808|400|\"id\":9223372036854775808,\"error\":{\"code\":-32600,",
        "-9223372036854775809|400|\"id\":-9223372036854775809,\"error\":{\"code\":-32600,"
      })
  void anIdThatIsNoWholeNumberOf64BitsIsRefused(String id, int status, String answer) {
    HttpResponse<String> response = endpoint.post(PING.replace("\"id\":1", "\"id\":" + id));

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).contains(answer).doesNotContain("Internal");
  }

  @Test
  void anIdThatCouldNotBeReadIsLeftOut() {
    assertThat(endpoint.post("[]").body()).doesNotContain("\"id\"");
    assertThat(
            endpoint
                .post("{\"jsonrpc\":\"2.0\",\"id\":" + "9".repeat(60) + ",\"method\":\"ping\"}")
                .body())
        .contains("-32600")
        .doesNotContain("\"id\"");
  }

  /** Each is what some client or model sends; what it reads has to help it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tools/list|{'cursor':'zzz'}|'cursor' is not one that a page returned",
        "prompts/list|{'cursor':'zzz'}|'cursor' is not one that a page returned",
        "resources/templates/list|{'cursor':''}|'cursor' is not one that a page returned",
        "resources/list|{'cursor':'zzz'}|'cursor' is not one that a page returned",
        "initialize|{}|'protocolVersion' is missing",
        "initialize|{'protocolVersion':'2025-11-25','capabilities':{}}|'clientInfo' is missing",
        "prompts/get|{'name':'zz'}|Unknown prompt: zz. The prompts are code_mode",
        "tools/call|{'name':'get_run','arguments':'{}'}|must be an object, not a text that contains"
      })
  void whatIsWrongWithAParameterIsSaid(String method, String params, String message) {
    HttpResponse<String> response =
        endpoint.post(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                .formatted(method, params.replace('\'', '"')));

    assertThat(response.body()).contains("\"error\":{\"code\":-32602,").contains(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "list_datasets|null|`No datasets`",
        "list_datasets|{'zz':1}|unknown argument 'zz'; there are no arguments",
        "get_run|null|missing argument 'name'",
        "get_run|{'name':'x','zz':1}|unknown argument 'zz'; the arguments are name, wait_seconds,"
      })
  void unusualArgumentsAreAnsweredAsACall(String tool, String arguments, String message) {
    HttpResponse<String> response =
        endpoint.post(
            """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}"""
                .formatted(tool, arguments.replace('\'', '"')));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("\"result\"").contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "7",
        "[]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} trailing",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"x\"}",
        "\u0000",
        "\uD800"
      })
  void whatIsNoRequestIsRefusedInPlainWords(String body) {
    HttpResponse<String> response = endpoint.post(body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).startsWith("{\"jsonrpc\":\"2.0\"").contains("\"error\"");
    assertSaysNothingOfOurInsides(response.body());
  }

  @ParameterizedTest
  @CsvSource({"/mcp", "/api/v1/runs"})
  void aMillionKeysAreRefusedAndTheNextRequestIsServed(String path) {
    String keys =
        IntStream.range(0, 1_000_000)
            .mapToObj(i -> "\"k" + i + "\":" + i % 10)
            .collect(Collectors.joining(","));
    String call =
        """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_datasets","arguments":{%s}}}""";
    String body = path.equals("/mcp") ? call.formatted(keys) : "{" + keys + "}";

    HttpResponse<String> response =
        endpoint.send(endpoint.request(path, body).header("X-API-Key", "alice-key").build());
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("more than 2097152 bytes apart from single long fields");
    assertSaysNothingOfOurInsides(response.body());
    assertThat(endpoint.post(PING).statusCode()).isEqualTo(200);
  }

  @Test
  void deepNestingIsRefused() {
    HttpResponse<String> response =
        endpoint.post(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":"
                + "[".repeat(10_000)
                + "]".repeat(10_000)
                + "}}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("nested too deeply");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":{\"a\":1}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"list_datasets\",\"arguments\":[]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"list_datasets\",\"_meta\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":7}}"
      })
  void wrongRequestsAreAnsweredInPlainWords(String body) {
    HttpResponse<String> response = endpoint.post(body);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("\"error\":{\"code\":-3260").contains("\"id\":1");
    assertSaysNothingOfOurInsides(response.body());
  }

  @Test
  void anUnknownToolIsAnsweredWithTheKnownOnes() {
    HttpResponse<String> response =
        endpoint.post(
            """
            {"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"execute","arguments":{}}}""");

    assertThat(response.body())
        .contains("-32602")
        .contains("Unknown tool: execute")
        .contains("analytics_stream_sample, cancel_run, code_execution, delete_dataset,");
  }

  @Test
  void notificationsAndAnswersAreTakenWithoutAWord() {
    assertThat(
            endpoint
                .post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                .statusCode())
        .isEqualTo(202);
    assertThat(endpoint.post("{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}").statusCode())
        .isEqualTo(202);
    assertThat(endpoint.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}").statusCode())
        .isEqualTo(202);
  }

  @Test
  void aBrokenRequestLineSaysNothingOfTheServer() throws IOException {
    String answer = raw("NONSENSE\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 400");
    assertSaysNothingOfOurInsides(answer);
  }

  @Test
  void aCallMayTakeLongerThanAConnectionMayBeIdle() {
    try (TestEndpoint idle = new TestEndpoint(TestEndpoint.SOON_IDLE)) {
      idle.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      idle.runs.operator(
          (fake, run) -> {
            // Two connections, one after the other, have been closed for being idle by then.
            beIdle(idle.port());
            beIdle(idle.port());
            fake.status(run, Fixtures.succeeded("late\n"));
          });

      HttpResponse<String> response =
          idle.post(
              """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_custom_analytics_code",
             "arguments":{"dataset_name":"sales_data","python_code":"x"}}}""");

      assertThat(response.body()).contains("late");
    }
  }

  @Test
  void aConnectionBetweenRequestsOutlivesOneThatIsSilentWithinARequest() throws IOException {
    try (TestEndpoint idle = new TestEndpoint(TestEndpoint.SOON_IDLE);
        Socket between = connect(idle.port())) {
      assertThat(ask(between, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .startsWith("HTTP/1.1 200");

      beIdle(idle.port());

      assertThat(ask(between, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void aBodyThatStopsArrivingIsGivenUpWithAStatus() throws IOException {
    try (TestEndpoint idle = new TestEndpoint(TestEndpoint.SOON_IDLE)) {
      assertThat(beIdle(idle.port())).startsWith("HTTP/1.1 408").contains("did not arrive in time");
    }
  }

  @Test
  void aBodyOfNothingButFramingIsEndedAtTheLimitOfItsTime() throws Exception {
    try (TestEndpoint idle = new TestEndpoint(TestEndpoint.SOON_IDLE);
        Socket dripping = connect(idle.port())) {
      OutputStream out = dripping.getOutputStream();
      out.write(
          """
          POST /mcp HTTP/1.1\r
          Host: localhost\r
          X-API-Key: alice-key\r
          Content-Type: application/json\r
          Transfer-Encoding: chunked\r
          \r
          1;"""
              .getBytes(UTF_8));
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 6_000; i++) {
                  out.write('a');
                  LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                }
              })
          .isInstanceOf(SocketException.class);
    }
  }

  /** Is silent within a request, until the connection is closed. */
  private static String beIdle(int port) {
    try (Socket within = connect(port)) {
      within
          .getOutputStream()
          .write(
              """
              POST /mcp HTTP/1.1\r
              Host: localhost\r
              X-API-Key: alice-key\r
              Content-Type: application/json\r
              Content-Length: 9\r
              \r
              {"""
                  .getBytes(UTF_8));
      return new String(within.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aConnectionIsKeptLongerThanClientsAndProxiesReuseIt() {
    assertThat(HttpEndpoint.Times.DEFAULT.keepAlive()).isGreaterThan(Duration.ofSeconds(60));
  }

  /** The head of a stream is sent at the beginning of a call, that of a document at its end. */
  @ParameterizedTest
  @ValueSource(strings = {"application/json", "text/event-stream"})
  void aConnectionIsClosedAfterTheLastResponseOfAnEndpointThatStops(String accept)
      throws Exception {
    HttpEndpoint.Times times =
        new HttpEndpoint.Times(
            Duration.ofHours(1),
            Duration.ofHours(1),
            Duration.ofHours(1),
            Duration.ofHours(1),
            Duration.ofHours(1));
    TestEndpoint stopping = new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), times);
    stopping.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    String call =
        """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_custom_analytics_code",
         "arguments":{"dataset_name":"sales_data","python_code":"x"}}}""";
    try (Socket socket = connect(stopping.port())) {
      socket
          .getOutputStream()
          .write(
              """
              POST /mcp HTTP/1.1\r
              Host: localhost\r
              X-API-Key: alice-key\r
              Content-Type: application/json\r
              Accept: %s\r
              Content-Length: %d\r
              \r
              %s"""
                  .formatted(accept, call.length(), call)
                  .getBytes(UTF_8));
      assertThat(stopping.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
      int port = stopping.port();
      Thread stop = Thread.ofVirtual().start(stopping::close);
      await(() -> refusesConnections(port));
      stopping.runs.created.forEach(run -> stopping.runs.status(run, Fixtures.succeeded("done")));

      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8)).contains("done");
      stop.join();
    }
  }

  private static boolean refusesConnections(int port) {
    try {
      new Socket(InetAddress.getLoopbackAddress(), port).close();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    return socket;
  }

  /** Sends a request, and reads a response of which all has come at once. */
  private static String ask(Socket socket, String request) throws IOException {
    socket.getOutputStream().write(request.getBytes(UTF_8));
    byte[] response = new byte[4096];
    int read = socket.getInputStream().read(response);
    return read < 0 ? "" : new String(response, 0, read, UTF_8);
  }

  @Test
  void connectionsThatSayNothingDoNotKeepOthersOut() throws IOException {
    List<Socket> silent = new ArrayList<>();
    try (TestEndpoint crowded =
        new TestEndpoint(1, new RequestMemory(Long.MAX_VALUE), HttpEndpoint.Times.DEFAULT)) {
      int most = 3 + 256;
      for (int i = 0; i < most; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), crowded.port()));
      }

      assertThat(crowded.post(PING).statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  private HttpResponse<String> get(String path) {
    return endpoint.send(HttpRequest.newBuilder(URI.create(endpoint.url() + path)).build());
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static void assertSaysNothingOfOurInsides(String text) {
    assertThat(text.toLowerCase(Locale.ROOT))
        .doesNotContain("exception", "java", "jetty", "jackson", "dev.assay", "io.model", "\\tat ")
        .doesNotContain("tools.j", ".class", "stack");
  }
}
