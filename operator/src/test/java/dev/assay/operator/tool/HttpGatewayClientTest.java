package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import dev.assay.operator.tool.GatewayClient.ListFailedException;
import dev.assay.operator.tool.GatewayClient.NotAcceptedException;
import dev.assay.operator.tool.GatewayClient.ReplicaGoneException;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpGatewayClientTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ADDRESS = "127.0.0.1";
  private static final ObjectMeta CRM =
      new ObjectMetaBuilder()
          .withNamespace("team-a")
          .withName("crm")
          .withUid("crm-uid")
          .withGeneration(3L)
          .build();
  private static final Duration TIME = Duration.ofSeconds(20);

  @TempDir private Path directory;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<JsonNode> bodies = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile byte[] answer = new byte[0];
  private volatile @Nullable String instance;
  private HttpServer server;
  private HttpGatewayClient gateway;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    Path token = Files.writeString(directory.resolve("token"), "a-token\n");
    gateway =
        new HttpGatewayClient(
            new ToolGatewayConfig(ADDRESS, server.getAddress().getPort(), null, token.toString()),
            host -> List.of(ADDRESS));
    gateway.resolve();
    answer("{\"instance\":\"one\"}");
  }

  @AfterEach
  void stop() {
    gateway.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void aCallHasItsTokenItsProcessAndItsGrants() throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    answer(result("{\"a\": 1.50}", "{\"content\":[]}"));
    Outcome outcome = gateway.call(replica, call(1000), TIME);
    assertThat(outcome.body())
        .asString(UTF_8)
        .as("digits are kept")
        .isEqualTo("{\"ok\":true,\"result\":{\"a\": 1.50},\"raw\":{\"content\":[]}}");
    assertThat(outcome.sent()).isEqualTo(Sent.YES);
    assertThat(requests)
        .containsExactly(
            "GET /v1/replica Bearer a-token null", "PUT /v1/runs/uid/calls/7 Bearer a-token one");
    assertThat(bodies.getFirst())
        .hasToString(
            "{\"namespace\":\"team-a\",\"server\":\"crm\",\"tool\":\"find\",\"args\":\"e30=\","
                + "\"digest\":\"d\",\"deadlineMillis\":20000,\"resultBytes\":1000,\"approved\":\"a\","
                + "\"grants\":{\"permissions\":[\"read\"]}}");
  }

  @Test
  void aProcessIsAskedForItsIdOnce() throws Exception {
    assertThat(gateway.replica(ADDRESS)).isEqualTo(new Replica(ADDRESS, "one"));
    assertThat(gateway.replica(ADDRESS)).isEqualTo(new Replica(ADDRESS, "one"));
    assertThat(requests).hasSize(1);
  }

  @Test
  void anotherProcessAtTheAddressIsKnownFromThenOn() throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    instance = "two";
    assertThatThrownBy(() -> gateway.call(replica, call(1000), TIME))
        .isInstanceOf(ReplicaGoneException.class);
    answer("{\"instance\":\"two\"}");
    assertThat(gateway.replica(ADDRESS).instance()).isEqualTo("two");
  }

  @Test
  void anErrorKeepsItsCodeAndWhetherItWasSent() throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    answer(
        "{\"ok\":false,\"code\":\"UPSTREAM_ERROR\",\"message\":\"no \\u001b\",\"sent\":\"yes\"}");
    Outcome outcome = gateway.call(replica, call(1000), TIME);
    assertThat(outcome.code()).isEqualTo(CallCode.UPSTREAM_ERROR);
    assertThat(outcome.sent()).isEqualTo(Sent.YES);
    assertThat(JSON.readTree(outcome.body()).path("error").path("message").asText())
        .isEqualTo("no \uFFFD");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"ok\":true}",
        "{\"ok\":true,\"value\":\"e30=\"}",
        "{\"ok\":true,\"value\":\"e30=\",\"raw\":\"e30\"}",
        "{\"ok\":true,\"value\":\"e30sIm9rIjpmYWxzZQ==\",\"raw\":\"e30=\"}",
        "{\"ok\":false,\"code\":\"MADE_UP\",\"message\":\"\",\"sent\":\"no\"}"
      })
  void aMalformedOutcomeIsUnknown(String malformed) throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    answer(malformed);
    assertThatThrownBy(() -> gateway.call(replica, call(1000), TIME))
        .isInstanceOf(IOException.class);
  }

  @Test
  void anOutcomeThatIsTooLongIsNotRead() throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    String text = "\"" + "x".repeat(100_000) + "\"";
    answer(result(text, text));
    assertThat(gateway.call(replica, call(10), TIME).code()).isEqualTo(CallCode.RESULT_TOO_LARGE);
  }

  @Test
  void whatWasCertainlyNotAcceptedIsToldFromWhatMayHaveBeen() throws Exception {
    Replica replica = gateway.replica(ADDRESS);
    answer("{\"code\":\"Busy\"}");
    for (int refused : List.of(503, 401, 400, 413)) {
      status = refused;
      assertThatThrownBy(() -> gateway.call(replica, call(1000), TIME))
          .isInstanceOf(NotAcceptedException.class);
    }
    answer("{}");
    for (int unknown : List.of(500, 503, 409)) {
      status = unknown;
      assertThatThrownBy(() -> gateway.call(replica, call(1000), TIME))
          .isInstanceOf(IOException.class);
    }
    server.stop(0);
    assertThatThrownBy(() -> gateway.call(new Replica("127.0.0.2", "one"), call(1000), TIME))
        .isInstanceOf(NotAcceptedException.class);
  }

  @Test
  void anAddressWhereNothingListensAcceptsNoCall() {
    server.stop(0);
    assertThatThrownBy(() -> gateway.replica(ADDRESS)).isInstanceOf(NotAcceptedException.class);
    assertThat(requests).isEmpty();
  }

  @Test
  void aRunIsClosed() throws Exception {
    status = 204;
    gateway.close(ADDRESS, "uid");
    assertThat(requests).containsExactly("DELETE /v1/runs/uid Bearer a-token null");
    status = 500;
    assertThatThrownBy(() -> gateway.close(ADDRESS, "uid")).isInstanceOf(IOException.class);
  }

  @Test
  void theToolsOfAServerAreReadWithAllThatTheGatewayKnows() throws Exception {
    String digest = "a".repeat(64);
    String tool =
        "{\"name\":\"find\",\"description\":\"finds\",\"inputSchema\":{},\"permission\":\"write\",\"digest\":\"%s\"}"
            .formatted(digest);
    answer("{\"server\":{\"name\":\"CRM\",\"version\":\"2\"},\"tools\":[%s]}".formatted(tool));
    ListedTools list = list();
    assertThat(list.server().name()).isEqualTo("CRM");
    assertThat(list.tools()).hasSize(1);
    assertThat(list.tools().getFirst().permission()).isEqualTo(ToolPermission.WRITE);
    assertThat(list.tools().getFirst().json()).asString(UTF_8).isEqualTo(tool);
    assertThat(requests)
        .containsExactly(
            "GET /v1/servers/team-a/crm/tools?uid=crm-uid&generation=3 Bearer a-token null");
  }

  @Test
  void aLongListKeepsItsMemoryUntilItIsClosed() throws Exception {
    answer(
        "{\"server\":{},\"tools\":[{\"name\":\"a\",\"digest\":\"%s\",\"permission\":\"read\",\"description\":\"%s\"}]}"
            .formatted("a".repeat(64), "x".repeat(8 << 20)));
    Future<ListedTools> next;
    try (GatewayClient.Listing _ = gateway.tools(ADDRESS, CRM)) {
      next = threads.submit(this::list);
      assertThat(next.isDone()).isFalse();
    }
    assertThat(next.get().tools()).hasSize(1);
  }

  @Test
  void aReplicaThatSendsSlowlyDelaysNoReplyOfAnother() throws Exception {
    String healthy = "127.0.0.2";
    HttpServer other =
        HttpServer.create(new InetSocketAddress(healthy, server.getAddress().getPort()), 0);
    other.setExecutor(threads);
    other.createContext("/", this::handle);
    other.start();
    try {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      server.removeContext("/");
      server.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, 32 << 20);
            exchange.getResponseBody().write(new byte[1]);
            exchange.getResponseBody().flush();
            begun.countDown();
            awaitQuietly(released);
            exchange.close();
          });
      Future<Outcome> slow =
          threads.submit(() -> gateway.call(new Replica(ADDRESS, "one"), call(8 << 20), TIME));
      begun.await();
      answer(result("\"" + "x".repeat(1 << 20) + "\"", "{}"));
      assertThat(gateway.call(new Replica(healthy, "one"), call(8 << 20), TIME).code()).isNull();
      assertThat(slow.isDone()).isFalse();
      released.countDown();
      assertThatThrownBy(slow::get).hasCauseInstanceOf(IOException.class);
    } finally {
      other.stop(0);
    }
  }

  @Test
  void aServerThatDoesNotListItsToolsSaysWhy() {
    answer("{\"code\":\"UPSTREAM_TIMEOUT\",\"message\":\"the server\\nis slow\"}");
    assertThatThrownBy(() -> gateway.tools(ADDRESS, CRM))
        .isInstanceOfSatisfying(
            ListFailedException.class, e -> assertThat(e.code()).isEqualTo("UPSTREAM_TIMEOUT"))
        .hasMessage("the server is slow");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "{}",
        "{\"tools\":[{}]}",
        "{\"tools\":[{\"name\":\"a\",\"digest\":\"zz\",\"permission\":\"read\"}]}"
      })
  void aMalformedListIsAFailure(String malformed) {
    answer(malformed);
    assertThatThrownBy(() -> gateway.tools(ADDRESS, CRM)).isInstanceOf(ListFailedException.class);
  }

  @Test
  void aListOfCountlessPartsIsNotBuilt() {
    answer("{\"server\":{},\"tools\":[" + "[],".repeat(200_000) + "[]]}");
    assertThatThrownBy(() -> gateway.tools(ADDRESS, CRM))
        .isInstanceOf(ListFailedException.class)
        .hasMessage("The tool gateway sent a list of tools that is malformed");
  }

  @Test
  void addressesThatCannotBeResolvedNowAreThoseOfBefore() throws Exception {
    List<String> answers = new CopyOnWriteArrayList<>(List.of(ADDRESS, "127.0.0.2"));
    try (HttpGatewayClient moving =
        new HttpGatewayClient(
            new ToolGatewayConfig("gateway", 1, "/none", "/none"),
            host -> {
              if (answers.isEmpty()) {
                throw new UnknownHostException(host);
              }
              return List.copyOf(answers);
            })) {
      List<String> before = moving.addresses("uid");
      assertThat(before).hasSize(2);
      answers.clear();
      moving.resolve();
      assertThat(moving.addresses("uid")).isEqualTo(before);
    }
  }

  @Test
  void onlyTheRunsOfAReplicaMoveWhenItGoes() {
    List<String> all = List.of("10.0.0.1", "10.0.0.2", "10.0.0.3");
    int first = 0;
    for (int run = 0; run < 300; run++) {
      List<String> order = Rendezvous.order("run-" + run, all);
      List<String> without = Rendezvous.order("run-" + run, all.subList(1, 3));
      if (order.getFirst().equals("10.0.0.1")) {
        first++;
        assertThat(without.getFirst()).isEqualTo(order.get(1));
      } else {
        assertThat(without.getFirst()).isEqualTo(order.getFirst());
      }
    }
    assertThat(first).isBetween(50, 150);
  }

  private ListedTools list() throws Exception {
    try (GatewayClient.Listing listing = gateway.tools(ADDRESS, CRM)) {
      return listing.tools();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static GatewayCall call(int resultBytes) {
    return new GatewayCall(
        "team-a",
        "uid",
        7,
        "crm",
        "find",
        "{}".getBytes(UTF_8),
        "d",
        resultBytes,
        List.of(ToolPermission.READ),
        "a");
  }

  private static String result(String value, String raw) {
    return "{\"ok\":true,\"value\":\"%s\",\"raw\":\"%s\",\"sent\":\"yes\",\"millis\":3}"
        .formatted(base64(value), base64(raw));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private void answer(String json) {
    answer = json.getBytes(UTF_8);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String wanted = exchange.getRequestHeaders().getFirst("Assay-Gateway-Instance");
      requests.add(
          "%s %s %s %s"
              .formatted(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI(),
                  exchange.getRequestHeaders().getFirst("Authorization"),
                  wanted));
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (body.length > 0) {
        bodies.add(JSON.readTree(body));
      }
      if (instance != null && wanted != null && !wanted.equals(instance)) {
        exchange.sendResponseHeaders(421, -1);
        return;
      }
      exchange.sendResponseHeaders(
          status, status == 204 || answer.length == 0 ? -1 : answer.length);
      if (status != 204) {
        exchange.getResponseBody().write(answer);
      }
    }
  }
}
