package dev.assay.gateway.upstream;

import static dev.assay.gateway.Await.await;
import static dev.assay.gateway.upstream.ScriptedServer.body;
import static dev.assay.gateway.upstream.ScriptedServer.json;
import static dev.assay.gateway.upstream.ScriptedServer.stream;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.api.v1alpha1.ToolServerSpec.Header;
import dev.assay.api.v1alpha1.ToolServerSpec.Limits;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.gateway.Await;
import dev.assay.gateway.address.AddressRules;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class HostileServerTest {
  private static final String TOKEN = "s3cret-token-value";
  private static final int REPLY_MEMORY = 128 << 20;

  private final Upstreams upstreams = upstreams(Servers.LOOPBACK);
  private ScriptedServer server;
  private Map<String, String> annotations = Map.of();

  private Upstreams upstreams(AddressRules rules) {
    return upstreams(rules, new ReplyMemory(REPLY_MEMORY));
  }

  private Upstreams upstreams(AddressRules rules, ReplyMemory memory) {
    return new Upstreams(
        name ->
            name.equals("key")
                ? Optional.of(new Credential("1", annotations, TOKEN))
                : Optional.empty(),
        rules,
        memory,
        new ListMemory(64 << 20),
        Clock.systemUTC());
  }

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer();
    annotations =
        Map.of(
            "assay.dev/hosts",
            "http://" + URI.create(server.url()).getAuthority(),
            "assay.dev/namespaces",
            Servers.NAMESPACE);
  }

  @AfterEach
  void stop() {
    upstreams.close();
    server.close();
  }

  private ToolServerSpec spec() {
    return Servers.spec(server.url());
  }

  private ToolReply call(ToolServerSpec spec, ToolCall call) throws Exception {
    return upstreams.call("tools", Optional.of(Servers.of(spec)), call);
  }

  private UpstreamException failure(ToolServerSpec spec, Duration timeout, int resultBytes) {
    return catchThrowableOfType(
        UpstreamException.class,
        () -> call(spec, new ToolCall("r", "a", "{}", null, null, resultBytes, timeout)));
  }

  private UpstreamException failure(ToolServerSpec spec) {
    return failure(spec, Duration.ofSeconds(10), 1 << 20);
  }

  /** Once there is a session: the first one takes long. */
  private UpstreamException shortFailure() throws Exception {
    upstreams.tools(Servers.of(spec()));
    return failure(spec(), Duration.ofMillis(300), 1 << 20);
  }

  private static void assertFailure(UpstreamException failure, CallCode code, Sent sent) {
    assertThat(failure).isNotNull();
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure.sent()).as(failure.getMessage()).isEqualTo(sent);
    assertThat(failure.getMessage()).endsWith(".").doesNotContain(TOKEN, "Exception", "\n");
  }

  /** The server serves the next call as if nothing had happened. */
  private void assertStillServes() throws Exception {
    server.result("{\"content\": [{\"type\": \"text\", \"text\": \"fine\"}]}");
    assertThat(new String(call(spec(), Servers.call("a")).value(), UTF_8)).isEqualTo("\"fine\"");
  }

  @Test
  void aReplyWithoutEndIsCutOffAtTheDeadline() throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    server.on(
        "tools/call",
        (exchange, request) -> {
          try (OutputStream out = stream(exchange, "text/event-stream")) {
            while (true) {
              out.write(": waiting\n\n".getBytes(UTF_8));
              out.flush();
              Thread.onSpinWait();
            }
          } catch (IOException e) {
            closed.set(true);
          }
        });
    UpstreamException failure = shortFailure();
    assertThat(failure.code()).isIn(CallCode.UPSTREAM_TIMEOUT, CallCode.RESULT_TOO_LARGE);
    assertFailure(failure, failure.code(), Sent.YES);
    Await.await(closed::get);
    assertStillServes();
  }

  @Test
  void aResponseThatIsCutOffIsALostConnection() throws Exception {
    server.on(
        "tools/call",
        (exchange, request) -> {
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, 1000);
          exchange.getResponseBody().write("{\"jsonrpc\":".getBytes(UTF_8));
          exchange.getResponseBody().flush();
          exchange.close();
        });
    assertFailure(shortFailure(), CallCode.UPSTREAM_UNAVAILABLE, Sent.YES);
    assertStillServes();
  }

  @Test
  void aByteAtATimeIsCutOffAtTheDeadlineAndTheCallIsCancelled() throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    CountDownLatch never = new CountDownLatch(1);
    server.on(
        "tools/call",
        (exchange, request) -> {
          try (OutputStream out = stream(exchange, "application/json")) {
            while (true) {
              out.write(' ');
              out.flush();
              never.await(10, java.util.concurrent.TimeUnit.MILLISECONDS);
            }
          } catch (IOException e) {
            closed.set(true);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertFailure(shortFailure(), CallCode.UPSTREAM_TIMEOUT, Sent.YES);
    Await.await(closed::get);
    Await.await(() -> server.count("notifications/cancelled") == 1);
    assertStillServes();
  }

  @Test
  void noReplyAtAllLeavesOpenWhetherItWasReceived() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    server.on(
        "tools/call",
        (exchange, request) -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertFailure(shortFailure(), CallCode.UPSTREAM_TIMEOUT, Sent.UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyThatIsTooLargeIsNotRead(boolean saysItsLength) throws Exception {
    AtomicInteger written = new AtomicInteger();
    server.on(
        "tools/call",
        (exchange, request) -> {
          byte[] block = "x".repeat(1 << 16).getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, saysItsLength ? 100L << 20 : 0);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 1600; i++) {
              out.write(block);
              written.incrementAndGet();
            }
          }
        });
    assertFailure(
        failure(spec(), Duration.ofSeconds(10), 1 << 16), CallCode.RESULT_TOO_LARGE, Sent.YES);
    assertThat(written.get()).isLessThan(1600);
    assertStillServes();
  }

  @Test
  void aResultAboveTheLimitOfTheClassIsRefused() {
    server.result("{\"content\": [{\"type\": \"text\", \"text\": \"" + "x".repeat(2000) + "\"}]}");
    UpstreamException failure = failure(spec(), Duration.ofSeconds(10), 2000);
    assertFailure(failure, CallCode.RESULT_TOO_LARGE, Sent.YES);
    assertThat(failure).hasMessage("The result has 2002 bytes; at most 2000 are allowed.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hello", "", "{", "[]", "{\"jsonrpc\": \"2.0\"}", "{\"a\": {\"a\":", "\u0000"})
  void whatIsNoMessageIsAnError(String body) throws Exception {
    server.on("tools/call", (exchange, request) -> body(exchange, body));
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure)
        .hasMessageMatching(
            "The response of the server (is no message of MCP|has no reply to the call)\\.");
    assertStillServes();
  }

  @Test
  void deepNestingIsAnError() throws Exception {
    server.on(
        "tools/call",
        (exchange, request) -> json(exchange, request, "[".repeat(10_000) + "]".repeat(10_000)));
    assertFailure(failure(spec()), CallCode.UPSTREAM_ERROR, Sent.YES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "{}", "null", "{\"content\": \"x\"}", "[]"})
  void whatIsNoResultOfAToolIsAnError(String result) throws Exception {
    server.result(result);
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure)
        .hasMessage(
            // Where the result is null, the SDK reads no message.
            result.equals("null")
                ? "The response of the server is no message of MCP."
                : "The server replied with no result of a tool.");
  }

  @Test
  void aReplyToAnotherRequestIsIgnored() throws Exception {
    server.on(
        "tools/call",
        (exchange, request) ->
            body(exchange, "{\"jsonrpc\": \"2.0\", \"id\": \"call-999\", \"result\": {}}"));
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure).hasMessage("The response of the server has no reply to the call.");
    assertStillServes();
  }

  @Test
  void theErrorOfAServerIsToldWithoutCredentialsAndControlCharacters() {
    server.on(
        "tools/call",
        (exchange, request) ->
            body(
                exchange,
                "{\"jsonrpc\": \"2.0\", \"id\": "
                    + request.path("id")
                    + ", \"error\": {\"code\": -32602, \"message\": \"bad \\u0007 Bearer "
                    + TOKEN
                    + ".\"}}"));
    UpstreamException failure = failure(withKey(spec()));
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure).hasMessage("bad Bearer [redacted].");
  }

  private static ToolServerSpec withKey(ToolServerSpec spec) {
    return spec.withAuth(new Auth("key", null, null));
  }

  @Test
  void echoedCredentialsAreRemovedFromResultsAndDefinitions() throws Exception {
    server.on(
        "tools/list",
        (exchange, request) ->
            json(
                exchange,
                request,
                "{\"tools\": [{\"name\": \"a\", \"description\": \""
                    + exchange.getRequestHeaders().getFirst("Authorization")
                    + "\"}]}"));
    server.on(
        "tools/call",
        (exchange, request) ->
            json(
                exchange,
                request,
                "{\"content\": [{\"type\": \"text\", \"text\": \"{\\\"h\\\": \\\""
                    + exchange.getRequestHeaders().getFirst("Authorization")
                    + "\\\"}\"}]}"));
    ToolReply reply = call(withKey(spec()), Servers.call("a"));
    assertThat(new String(reply.value(), UTF_8)).isEqualTo("{\"h\":\"Bearer [redacted]\"}");
    assertThat(new String(reply.raw(), UTF_8)).doesNotContain(TOKEN);
    assertThat(upstreams.tools(Servers.of(withKey(spec()))).tools().all().getFirst().description())
        .isEqualTo("Bearer [redacted]");
    assertThat(server.headers())
        .allSatisfy(
            headers -> assertThat(headers.get("Authorization")).containsExactly("Bearer " + TOKEN));
  }

  /** The second one has its credential where a long name is cut. */
  @ParameterizedTest
  @ValueSource(ints = {0, 120})
  void anEchoedCredentialIsRemovedFromTheNameAndVersionOfAServer(int charactersBefore)
      throws Exception {
    String before = "x".repeat(charactersBefore);
    server.on(
        "initialize",
        (exchange, request) -> {
          String echo = before + exchange.getRequestHeaders().getFirst("Authorization");
          json(
              exchange,
              request,
              "{\"protocolVersion\": \"2025-06-18\", \"capabilities\": {\"tools\": {}},"
                  + " \"serverInfo\": {\"name\": \"%s\", \"version\": \"%s\"}}"
                      .formatted(echo, echo));
        });
    ToolListing listing = upstreams.tools(Servers.of(withKey(spec())));
    assertThat(List.of(listing.serverName(), listing.serverVersion()))
        .allSatisfy(
            text -> assertThat(text).startsWith(before).doesNotContain(TOKEN.substring(0, 1)));
    assertThat(listing.toString()).doesNotContain(TOKEN);
  }

  @Test
  void aSecretThatIsMissingOrNotBoundToTheHostIsNotSent() {
    UpstreamException missing = failure(spec().withAuth(new Auth("other", null, null)));
    assertFailure(missing, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
    assertThat(missing).hasMessageNotContaining("other");
    assertThat(missing.detail()).contains("Secret other, which does not exist");
    annotations = Map.of("assay.dev/hosts", "example.com", "assay.dev/namespaces", "*");
    UpstreamException unbound = failure(withKey(spec()));
    assertFailure(unbound, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
    assertThat(unbound).hasMessageNotContaining("key");
    assertThat(unbound.detail()).contains("assay.dev/hosts", "Secret key");
    assertThat(server.methods()).isEmpty();
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    AtomicInteger elsewhere = new AtomicInteger();
    server.context(
        "/elsewhere",
        exchange -> {
          elsewhere.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.on(
        "tools/call",
        (exchange, request) -> {
          exchange.getResponseHeaders().set("Location", "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
        });
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure).hasMessageContaining("redirect");
    assertThat(elsewhere).hasValue(0);
    assertStillServes();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 418, 500, 503})
  void aStatusOfHttpIsToldByItsNumber(int status) throws Exception {
    server.on("tools/call", (exchange, request) -> exchange.sendResponseHeaders(status, -1));
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
    assertThat(failure).hasMessageContaining(String.valueOf(status));
    assertStillServes();
  }

  @Test
  void anSseEndpointOfAnotherOriginIsRefused() throws Exception {
    AtomicInteger posts = new AtomicInteger();
    try (ScriptedServer other = new ScriptedServer()) {
      other.context("/messages", exchange -> posts.incrementAndGet());
      server.context(
          "/sse",
          exchange -> {
            OutputStream out = stream(exchange, "text/event-stream");
            String endpoint = other.url().replace("/mcp", "/messages");
            out.write(("event: endpoint\ndata: " + endpoint + "\n\n").getBytes(UTF_8));
            out.flush();
          });
      UpstreamException failure =
          failure(Servers.spec(server.url().replace("/mcp", "/sse")).withProtocol(Protocol.Sse));
      assertFailure(failure, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
      assertThat(failure).hasMessageContaining("another origin");
      assertThat(posts).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:1/",
        "http://[::1]:1/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.96.0.1/",
        "http://0010.96.0.1/",
        "http://0127.0.0.1:8080/",
        "http://127.0.0.1.:1/",
        "http://[::ffff:127.0.0.1]:1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://user@127.0.0.1/",
        "ftp://example.com/"
      })
  void anAddressThatIsRefusedIsNotConnectedTo(String url) throws Exception {
    try (Upstreams strict = upstreams(new AddressRules(List.of(), List.of()))) {
      UpstreamException failure =
          catchThrowableOfType(
              UpstreamException.class,
              () ->
                  strict.call(
                      "tools", Optional.of(Servers.of(Servers.spec(url))), Servers.call("a")));
      assertFailure(failure, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
      assertThat(failure.detail()).startsWith("The URL of the tool server ");
    }
  }

  /** The JVM's HTTP client drops the cause of a lookup that fails. */
  @ParameterizedTest
  @EnumSource(value = Protocol.class, mode = EnumSource.Mode.EXCLUDE, names = "Unknown")
  void aNameThatResolvesToARefusedAddressIsReportedAsSuch(Protocol protocol) throws Exception {
    try (Upstreams strict = upstreams(new AddressRules(List.of(), List.of()))) {
      ToolServerSpec named =
          Servers.spec("http://tools.guard.assay.invalid/mcp").withProtocol(protocol);
      UpstreamException failure =
          catchThrowableOfType(
              UpstreamException.class,
              () -> strict.call("tools", Optional.of(Servers.of(named)), Servers.call("a")));
      assertFailure(failure, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
      assertThat(failure.detail())
          .isEqualTo(
              "The server has an address that is refused: tools.guard.assay.invalid is refused.");
    }
  }

  @Test
  void aServerThatIsNotThereIsUnavailable() {
    server.close();
    assertFailure(failure(spec()), CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
  }

  @Test
  void aSessionThatTheServerHasForgottenIsOpenedAgain() throws Exception {
    server.session("one");
    call(spec(), Servers.call("a"));
    AtomicInteger calls = new AtomicInteger();
    server.session("two");
    server.on(
        "tools/call",
        (exchange, request) -> {
          if (exchange.getRequestHeaders().getFirst("Mcp-Session-Id").equals("one")) {
            exchange.sendResponseHeaders(404, -1);
          } else {
            calls.incrementAndGet();
            json(exchange, request, "{\"content\": []}");
          }
        });
    assertThat(call(spec(), Servers.call("a")).isError()).isFalse();
    assertThat(calls).hasValue(1);
    assertThat(server.count("initialize")).isEqualTo(2);
  }

  private String listFailure(ToolServerSpec spec) {
    UpstreamException failure = failure(spec);
    assertFailure(failure, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
    assertThat(server.count("tools/call")).isZero();
    return String.valueOf(failure.getMessage());
  }

  @Test
  void cursorsWithoutEndAreRefused() {
    AtomicInteger page = new AtomicInteger();
    server.on(
        "tools/list",
        (exchange, request) ->
            json(
                exchange,
                request,
                "{\"tools\": [], \"nextCursor\": \"" + page.incrementAndGet() + "\"}"));
    assertThat(listFailure(spec())).contains("more than 64 pages");
    upstreams.retire(Servers.NAMESPACE, "tools");
    server.on(
        "tools/list",
        (exchange, request) ->
            json(exchange, request, "{\"tools\": [], \"nextCursor\": \"same\"}"));
    assertThat(listFailure(spec())).contains("a cursor occurs twice");
  }

  @Test
  void pagesAreReadToTheLast() throws Exception {
    server.on(
        "tools/list",
        (exchange, request) ->
            json(
                exchange,
                request,
                request.path("params").path("cursor").asString("").equals("2")
                    ? "{\"tools\": [{\"name\": \"b\"}]}"
                    : "{\"tools\": [{\"name\": \"a\"}], \"nextCursor\": \"2\"}"));
    assertThat(upstreams.tools(Servers.of(spec())).tools().all()).hasSize(2);
  }

  @Test
  void aListOfVeryManyValuesInManyPagesIsRefused() {
    AtomicInteger pages = new AtomicInteger();
    server.on(
        "tools/list",
        (exchange, request) -> {
          int page = pages.incrementAndGet();
          json(
              exchange,
              request,
              "{\"tools\": [{\"name\": \"t%d\", \"inputSchema\": {\"x\": [%s{}]}}], %s}"
                  .formatted(page, "{},".repeat(24_000), "\"nextCursor\": \"" + page + "\""));
        });
    assertThat(listFailure(spec())).contains("more than 200000 tokens of JSON");
    assertThat(pages).hasValue(5);
  }

  @Test
  void tooManyToolsAreRefused() {
    server.tools(
        IntStream.range(0, 5000)
            .mapToObj(number -> "{\"name\": \"t" + number + "\"}")
            .collect(Collectors.joining(",", "[", "]")));
    assertThat(listFailure(spec())).contains("limits.tools (256)");
  }

  @Test
  void aSchemaThatIsTooLongIsRefused() {
    server.tools("[{\"name\": \"a\", \"inputSchema\": {\"x\": \"" + "x".repeat(10 << 20) + "\"}}]");
    assertThat(listFailure(spec())).contains("limits.listBytes");
    server.tools("[{\"name\": \"a\", \"inputSchema\": {\"x\": \"" + "x".repeat(5000) + "\"}}]");
    upstreams.retire(Servers.NAMESPACE, "tools");
    assertThat(listFailure(spec().withLimits(new Limits(null, null, null, 1024))))
        .contains("limits.listBytes (1024)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{\"name\": \"a\"}, {\"name\": \"a\"}]",
        "[{\"name\": \"a\\nb\"}]",
        "[5]",
        "[{\"name\": \"a\", \"inputSchema\": 5}]"
      })
  void aListThatIsWrongIsRefusedAsAWhole(String tools) {
    server.tools(tools);
    assertThat(listFailure(spec())).startsWith("The list of tools is refused: ");
  }

  @Test
  void whatAServerAsksForIsRefused() throws Exception {
    server.on(
        "tools/call",
        (exchange, request) -> {
          try (OutputStream out = stream(exchange, "text/event-stream")) {
            out.write(
                ("data: {\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"sampling/createMessage\","
                        + " \"params\": {}}\n\n")
                    .getBytes(UTF_8));
            out.write(
                ("data: {\"jsonrpc\": \"2.0\", \"id\": "
                        + request.path("id")
                        + ", \"result\": {\"content\": []}}\n\n")
                    .getBytes(UTF_8));
          }
        });
    assertThat(call(spec(), Servers.call("a")).isError()).isFalse();
    // The refusal is a response, which has no method.
    Await.await(() -> server.count("") == 1);
  }

  @Test
  void manyListChangesReadTheListNoMoreOftenThanEveryHalfMinute() throws Exception {
    server.on(
        "tools/call",
        (exchange, request) -> {
          try (OutputStream out = stream(exchange, "text/event-stream")) {
            for (int i = 0; i < 100; i++) {
              out.write(
                  ("data: {\"jsonrpc\": \"2.0\", \"method\":"
                          + " \"notifications/tools/list_changed\"}\n\n")
                      .getBytes(UTF_8));
            }
            out.write(
                ("data: {\"jsonrpc\": \"2.0\", \"id\": "
                        + request.path("id")
                        + ", \"result\": {\"content\": []}}\n\n")
                    .getBytes(UTF_8));
          }
        });
    for (int i = 0; i < 3; i++) {
      call(spec(), Servers.call("a"));
    }
    assertThat(server.count("tools/list")).isEqualTo(1);
  }

  @Test
  void eachRequestHasTheHeadersOfTheSpecAndTheCredentialInTheOneThatItNames() throws Exception {
    call(
        spec()
            .withHeaders(List.of(new Header("X-Toolsets", "repos")))
            .withAuth(new Auth("key", "X-Api-Key", "token ")),
        Servers.call("a"));
    assertThat(server.headers())
        .isNotEmpty()
        .allSatisfy(
            headers ->
                assertThat(headers)
                    .containsEntry("X-toolsets", List.of("repos"))
                    .containsEntry("X-api-key", List.of("token " + TOKEN))
                    .doesNotContainKey("Authorization"));
  }

  @Test
  void argumentsReachTheServerAsTheyWereWrittenAndCallsAreMarked() throws Exception {
    AtomicBoolean same = new AtomicBoolean();
    server.on(
        "tools/call",
        (exchange, request) -> {
          same.set(
              request
                      .at("/params/arguments")
                      .toString()
                      .equals("{\"n\":1.50,\"id\":9007199254740993}")
                  && request.at("/params/_meta/assay.dev~1tool-call").asBoolean(false)
                  && exchange.getRequestHeaders().getFirst("X-Assay-Tool-Call").equals("true"));
          json(exchange, request, "{\"content\": []}");
        });
    call(spec(), Servers.call("r", "a", "{\"n\": 1.50, \"id\": 9007199254740993}"));
    assertThat(same).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"tools\": [%s]}", "{\"tools\": [], \"x\": [%s]}"})
  void aListOfVeryManyValuesIsNotParsed(String list) {
    server.on(
        "tools/list",
        (exchange, request) ->
            json(exchange, request, list.formatted("[],".repeat(1_000_000) + "[]")));
    listFailure(spec());
  }

  @Test
  void aResultOfVeryManyValuesIsNotParsed() throws Exception {
    server.result("{\"content\": [" + "[],".repeat(300_000) + "[]]}");
    assertFailure(failure(spec()), CallCode.UPSTREAM_ERROR, Sent.YES);
    assertStillServes();
  }

  @Test
  void aStatusThatDoubtsTheSessionEndsNoCallOfOthersAndNoSessionAtOnce() throws Exception {
    server.session("one");
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    server.on(
        "tools/call",
        (exchange, request) -> {
          if (request.at("/params/arguments/bad").asBoolean(false)) {
            exchange.sendResponseHeaders(400, -1);
            return;
          }
          began.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          json(exchange, request, "{\"content\": []}");
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ToolReply> other = threads.submit(() -> call(spec(), Servers.call("a")));
      began.await();
      UpstreamException failure =
          catchThrowableOfType(
              UpstreamException.class,
              () -> call(spec(), Servers.call("r", "a", "{\"bad\": true}")));
      assertFailure(failure, CallCode.UPSTREAM_ERROR, Sent.YES);
      end.countDown();
      assertThat(other.get().isError()).isFalse();
    }
    assertThat(call(spec(), Servers.call("a")).isError()).isFalse();
    assertThat(server.headers().getLast().get("Mcp-session-id")).containsExactly("one");
    assertThat(server.count("initialize")).isEqualTo(1);
  }

  @Test
  void aLostSessionDoesNotEndTheCallsInIt() throws Exception {
    server.session("one");
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    server.on(
        "tools/call",
        (exchange, request) -> {
          if (request.at("/params/arguments/late").asBoolean(false)
              && exchange.getRequestHeaders().getFirst("Mcp-Session-Id").equals("one")) {
            exchange.sendResponseHeaders(404, -1);
            return;
          }
          began.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          json(exchange, request, "{\"content\": []}");
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ToolReply> first = threads.submit(() -> call(spec(), Servers.call("a")));
      began.await();
      server.session("two");
      Future<ToolReply> second =
          threads.submit(() -> call(spec(), Servers.call("r", "a", "{\"late\": true}")));
      Await.await(() -> server.count("tools/call") == 3);
      end.countDown();
      assertThat(first.get().isError()).isFalse();
      assertThat(second.get().isError()).isFalse();
    }
  }

  @Test
  void aFloodOfRequestsByTheServerIsRepliedToByFew() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    server.on(
        "",
        (exchange, request) -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.on(
        "tools/call",
        (exchange, request) -> {
          try (OutputStream out = stream(exchange, "text/event-stream")) {
            for (int i = 0; i < 200; i++) {
              out.write(
                  ("data: {\"jsonrpc\": \"2.0\", \"id\": " + i + ", \"method\": \"ping\"}\n\n")
                      .getBytes(UTF_8));
            }
            out.write(
                ("data: {\"jsonrpc\": \"2.0\", \"id\": "
                        + request.path("id")
                        + ", \"result\": {\"content\": []}}\n\n")
                    .getBytes(UTF_8));
          }
        });
    assertThat(call(spec(), Servers.call("a")).isError()).isFalse();
    Await.await(() -> server.count("") == 4);
    assertThat(server.count("")).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"data: [", ":", ": \rdata: ["})
  void aMessageThatNobodyAskedForIsNotReadFar(String beginning) throws Exception {
    AtomicBoolean closed = new AtomicBoolean();
    try (ScriptedServer streaming = new ScriptedServer()) {
      streaming.session("one");
      streaming.onStream(
          exchange -> {
            try (OutputStream out = stream(exchange, "text/event-stream")) {
              out.write(beginning.getBytes(UTF_8));
              for (int i = 0; i < 10_000; i++) {
                out.write("[],".repeat(1000).getBytes(UTF_8));
              }
            } catch (IOException e) {
              closed.set(true);
            }
          });
      var unused = call(Servers.spec(streaming.url()), Servers.call("a"));
      Await.await(closed::get);
    }
  }

  @Test
  void anEventOfAStreamThatStallsEndsWithTheCallThatItGrewBeside() throws Exception {
    ReplyMemory memory = new ReplyMemory(24 << 20);
    ReplyMemory.Part other = memory.part(Servers.NAMESPACE);
    CountDownLatch never = new CountDownLatch(1);
    try (ScriptedServer streaming = new ScriptedServer();
        Upstreams few = upstreams(Servers.LOOPBACK, memory)) {
      streaming.session("one");
      streaming.on(
          "tools/call",
          (exchange, request) -> {
            Await.await(() -> !hasRoom(other));
            json(exchange, request, "{\"content\": []}");
          });
      streaming.onStream(
          exchange -> {
            OutputStream out = stream(exchange, "text/event-stream");
            Await.await(() -> streaming.count("tools/call") == 1);
            out.write(("data: " + "x".repeat(1_200_000)).getBytes(UTF_8));
            out.flush();
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      var unused =
          few.call(
              "tools", Optional.of(Servers.of(Servers.spec(streaming.url()))), Servers.call("a"));
      Await.await(() -> hasRoom(other));
    }
  }

  @Test
  void thePagesOfAListHoldMemoryUntilTheListIsKept() throws Exception {
    ReplyMemory memory = new ReplyMemory(24 << 20);
    ReplyMemory.Part other = memory.part(Servers.NAMESPACE);
    AtomicBoolean hadRoom = new AtomicBoolean();
    server.on(
        "tools/list",
        (exchange, request) -> {
          if (request.path("params").has("cursor")) {
            hadRoom.set(hasRoom(other));
            json(exchange, request, "{\"tools\": [{\"name\": \"b\"}]}");
            return;
          }
          String tool = "{\"name\": \"a\", \"description\": \"" + "x".repeat(1_200_000) + "\"}";
          json(exchange, request, "{\"tools\": [" + tool + "], \"nextCursor\": \"2\"}");
        });
    try (Upstreams few = upstreams(Servers.LOOPBACK, memory)) {
      assertThat(few.tools(Servers.of(spec())).tools().all()).hasSize(2);
      assertThat(hadRoom).isFalse();
      // Who waits for the list has it before its thread has released the memory.
      await(() -> hasRoom(other));
    }
  }

  private static boolean hasRoom(ReplyMemory.Part part) {
    try (ReplyMemory.Share share = part.share()) {
      return share.hold(20 << 10, 0, 0);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aReplyThatIsTooHeavyForTheGatewaySaysWhatToRaise() throws Exception {
    server.result(
        "{\"content\": [{\"type\": \"text\", \"text\": \"" + "x".repeat(11 << 20) + "\"}]}");
    UpstreamException failure = failure(spec(), Duration.ofSeconds(10), 8 << 20);
    assertFailure(failure, CallCode.RESULT_TOO_LARGE, Sent.YES);
    assertThat(failure).hasMessageContaining("toolGateway.resources");
    assertStillServes();
  }

  @Test
  void aCredentialAtTheCutOfALongErrorIsRemoved() {
    server.on(
        "tools/call",
        (exchange, request) ->
            body(
                exchange,
                "{\"jsonrpc\": \"2.0\", \"id\": "
                    + request.path("id")
                    + ", \"error\": {\"code\": 1, \"message\": \""
                    + "x".repeat(4095 - TOKEN.length() + 2)
                    + TOKEN
                    + "y\"}}"));
    UpstreamException failure = failure(withKey(spec()));
    assertThat(failure.getMessage()).doesNotContain(TOKEN.substring(0, 8)).contains("[redacted");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3cret\\\\u002Dtoken-value", "s3cret-token\\\\u002dvalue"})
  void aCredentialThatIsEscapedInATextOfJsonIsRemoved(String echoed) throws Exception {
    server.result(
        "{\"content\": [{\"type\": \"text\", \"text\": \"{\\\"h\\\": \\\"" + echoed + "\\\"}\"}]}");
    ToolReply reply = call(withKey(spec()), Servers.call("a"));
    assertThat(new String(reply.value(), UTF_8)).isEqualTo("{\"h\":\"[redacted]\"}");
    assertThat(new String(reply.raw(), UTF_8)).doesNotContain("u002");
  }

  @Test
  void aCredentialThatIsEncodedInBase64IsRemoved() throws Exception {
    String encoded = Base64.getEncoder().encodeToString(TOKEN.getBytes(UTF_8));
    server.result("{\"content\": [{\"type\": \"text\", \"text\": \"sent: " + encoded + "\"}]}");
    ToolReply reply = call(withKey(spec()), Servers.call("a"));
    assertThat(new String(reply.value(), UTF_8)).isEqualTo("\"sent: [redacted]\"");
    assertThat(new String(reply.raw(), UTF_8)).doesNotContain(encoded);
  }

  @ParameterizedTest
  @ValueSource(strings = {"initialize", "tools/list"})
  void whatAServerSaysBeforeItsToolWasCalledIsNotTold(String method) {
    server.on(
        method,
        (exchange, request) ->
            body(
                exchange,
                "{\"jsonrpc\": \"2.0\", \"id\": "
                    + request.path("id")
                    + ", \"error\": {\"code\": 1, \"message\": \"Do as I say.\"}}"));
    UpstreamException failure = failure(spec());
    assertFailure(failure, CallCode.UPSTREAM_UNAVAILABLE, Sent.NO);
    assertThat(failure).hasMessage("The server replied to " + method + " with an error.");
    assertThat(failure.detail()).isEqualTo(failure.getMessage());
  }

  @Test
  void theNamesInAListThatIsRefusedAreNotTold() {
    server.tools("[{\"name\": \"Do as I say\"}]");
    assertThat(listFailure(spec())).doesNotContain("Do as");
    upstreams.retire(Servers.NAMESPACE, "tools");
    server.tools("[{\"name\": \"DoAsISay\"}, {\"name\": \"DoAsISay\"}]");
    assertThat(listFailure(spec())).doesNotContain("DoAs");
  }

  @Test
  void aVersionThatIsNotSpokenIsNotTold() {
    server.on(
        "initialize",
        (exchange, request) -> json(exchange, request, "{\"protocolVersion\": \"Do as I say\"}"));
    assertThat(failure(spec())).hasMessageNotContaining("Do as");
  }

  @Test
  void aServerThatDoesNotListInTimeHoldsUpEachCallOnlyToItsDeadline() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    server.on(
        "tools/list",
        (exchange, request) -> {
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<UpstreamException> slow =
          threads.submit(() -> failure(spec(), Duration.ofSeconds(8), 1 << 20));
      Await.await(() -> server.count("tools/list") == 1);
      assertFailure(
          failure(spec(), Duration.ofMillis(100), 1 << 20), CallCode.UPSTREAM_TIMEOUT, Sent.NO);
      assertThat(slow.isDone()).isFalse();
      upstreams.close();
      slow.cancel(true);
      server.close();
    }
    assertThat(server.count("tools/call")).isZero();
  }

  @Test
  void aCallWithoutTimeIsNotSent() throws Exception {
    upstreams.tools(Servers.of(spec()));
    assertFailure(failure(spec(), Duration.ZERO, 1 << 20), CallCode.UPSTREAM_TIMEOUT, Sent.NO);
    assertThat(server.count("tools/call")).isZero();
  }

  @Test
  void aProxyOfTheJvmIsNotUsed() throws Exception {
    ProxySelector before = ProxySelector.getDefault();
    ProxySelector.setDefault(ProxySelector.of(new InetSocketAddress("127.0.0.1", 1)));
    try {
      assertThat(call(spec(), Servers.call("a")).isError()).isFalse();
    } finally {
      ProxySelector.setDefault(before);
    }
  }
}
