package dev.assay.e2e.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.digest.Sha256;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.gateway.ToolGateway;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.http.GatewayEndpoint;
import dev.assay.local.api.LocalApiServer;
import dev.assay.local.api.authentication.TokenReviewer;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server and the tool gateway, with an API server in this process. */
class CountingUpstreamTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAMESPACE = "team";
  private static final String CREDENTIALS = "credentials";
  private static final String AUDIENCE = "assay-tool-gateway";
  private static final String OPERATOR = "system:serviceaccount:assay-system:assay-operator";
  private static final String TOKEN = "token-of-the-operator";
  private static final String SECRET = "token-of-the-server";
  private static final String LOOPBACK = "127.0.0.1";

  private final AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
  private final CountingUpstream upstream = CountingUpstream.start(LOOPBACK);
  private final HttpClient http = HttpClient.newHttpClient();
  private final LocalApiServer api;
  private final KubernetesClient kubernetes;
  private final ToolGateway gateway;

  CountingUpstreamTest() throws IOException {
    LocalApiServer.Settings settings = LocalApiServer.Settings.defaults();
    TokenReviewer tokens =
        review ->
            new TokenReviewStatusBuilder()
                .withAuthenticated(TOKEN.equals(review.getToken()))
                .withAudiences(AUDIENCE)
                .withNewUser()
                .withUsername(OPERATOR)
                .endUser()
                .build();
    api =
        new LocalApiServer(
            new LocalApiServer.Settings(
                settings.logs(), settings.token(), tokens, settings.storage(), settings.clock()));
    api.start();
    kubernetes = new KubernetesClientBuilder().withConfig(api.clientConfig()).build();
    gateway =
        new ToolGateway(
            new GatewayConfig(
                List.of(NAMESPACE),
                CREDENTIALS,
                LOOPBACK,
                0,
                0,
                null,
                AUDIENCE,
                List.of(OPERATOR),
                List.of("127.0.0.0/8"),
                null),
            kubernetes,
            ProgramMetrics.unread(),
            new ShiftedClock(Clock.system(ZoneOffset.UTC)));
  }

  /** The time of this machine, and what was added to it. */
  private final class ShiftedClock extends Clock {
    private final Clock clock;

    ShiftedClock(Clock clock) {
      this.clock = clock;
    }

    @Override
    public Instant instant() {
      return clock.instant().plus(passed.get());
    }

    @Override
    public ZoneId getZone() {
      return clock.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return new ShiftedClock(clock.withZone(zone));
    }
  }

  @BeforeEach
  void start() {
    for (String name : List.of(NAMESPACE, CREDENTIALS)) {
      kubernetes
          .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
          .create();
    }
    gateway.start();
  }

  @AfterEach
  void stop() {
    gateway.close();
    kubernetes.close();
    api.close();
    http.close();
    upstream.close();
  }

  @Test
  void aCallIsCountedOnceHoweverOftenItIsRequested() throws Exception {
    JsonNode tools = declare(spec().build());
    assertThat(tools).hasSize(upstream.size());
    String approved = digest(tools, "count");

    JsonNode first = call(1, "count", "{\"id\": \"a\"}", approved);
    assertThat(first.path("ok").asBoolean()).as(first.toString()).isTrue();
    assertThat(call(1, "count", "{\"id\": \"a\"}", approved)).isEqualTo(first);
    assertThat(upstream.calls("a")).isOne();
    assertThat(upstream.lastHeaders()).isEmpty();
  }

  @Test
  void whatItReportsHasACodeAndWhetherItWasSent() throws Exception {
    JsonNode tools = declare(spec().build());
    JsonNode failed = call(1, "fail", "{\"message\": \"as asked\"}", digest(tools, "fail"));
    assertThat(failed.path("code").asText()).isEqualTo("UPSTREAM_ERROR");
    assertThat(failed.path("message").asText()).isEqualTo("as asked");
    assertThat(failed.path("sent").asText()).isEqualTo("yes");
    JsonNode large = call(2, "bytes", "{\"length\": 1100000}", digest(tools, "bytes"));
    assertThat(large.path("code").asText()).isEqualTo("RESULT_TOO_LARGE");
  }

  @Test
  void aCredentialIsSentAndItsEchoRemoved() throws Exception {
    kubernetes
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("server")
                .withNamespace(CREDENTIALS)
                .addToAnnotations(
                    ToolServer.HOSTS_ANNOTATION, "http://" + upstream.url().getAuthority())
                .addToAnnotations(ToolServer.NAMESPACES_ANNOTATION, NAMESPACE)
                .endMetadata()
                .addToStringData(ToolServer.SECRET_KEY, SECRET)
                .build())
        .create();
    JsonNode tools = declare(spec().auth(new Auth("server", null, null)).build());
    JsonNode echoed = call(1, "headers", "{}", digest(tools, "headers"));

    assertThat(upstream.lastHeaders()).containsEntry("authorization", "Bearer " + SECRET);
    assertThat(text(echoed, "value")).contains("authorization").doesNotContain(SECRET);
    assertThat(text(echoed, "raw")).contains("authorization").doesNotContain(SECRET);
  }

  @Test
  void aToolThatIsDescribedOtherwiseIsNotCalled() throws Exception {
    JsonNode tools = declare(spec().build());
    String approved = digest(tools, "count");
    assertThat(call(1, "count", "{\"id\": \"a\"}", approved).path("ok").asBoolean()).isTrue();
    upstream.change("count", CountingUpstreamTest::otherwise);
    passed.set(Duration.ofSeconds(31));

    int[] number = {2};
    await(
        () ->
            call(number[0]++, "count", "{\"id\": \"a\"}", approved)
                .path("code")
                .asText()
                .equals("TOOL_NOT_APPROVED"));
    int counted = upstream.calls("a");
    assertThat(call(number[0], "count", "{\"id\": \"a\"}", approved).path("sent").asText())
        .isEqualTo("no");
    assertThat(upstream.calls("a")).isEqualTo(counted);
  }

  private static Tool otherwise(Tool tool) {
    return Tool.builder(tool.name(), tool.inputSchema()).description("Otherwise.").build();
  }

  private ToolServerSpecBuilder spec() {
    return ToolServerSpecBuilder.builder()
        .url(upstream.url().toString())
        .protocol(Protocol.StreamableHttp)
        .approval(Approval.Baseline)
        .session(Session.Shared);
  }

  /** Returns its tools once the gateway knows it. */
  private JsonNode declare(ToolServerSpec spec) {
    ToolServer server = new ToolServer();
    server.setMetadata(
        new ObjectMetaBuilder().withName("counting").withNamespace(NAMESPACE).build());
    server.setSpec(spec);
    kubernetes.resource(server).create();
    AtomicReference<JsonNode> tools = new AtomicReference<>();
    await(
        () -> {
          JsonNode listed = send(request("/v1/servers/" + NAMESPACE + "/counting/tools").GET(), "");
          tools.set(listed.path("tools"));
          return listed.has("tools");
        });
    return tools.get();
  }

  private static String digest(JsonNode tools, String name) {
    for (JsonNode tool : tools) {
      if (tool.path("name").asText().equals(name)) {
        return tool.path("digest").asText();
      }
    }
    throw new AssertionError("no tool " + name);
  }

  private JsonNode call(int number, String tool, String args, @Nullable String approved) {
    byte[] bytes = args.getBytes(UTF_8);
    ObjectNode body =
        JSON.createObjectNode()
            .put("namespace", NAMESPACE)
            .put("server", "counting")
            .put("tool", tool)
            .put("args", bytes)
            .put("digest", Sha256.hex(("counting\0" + tool + "\0" + args).getBytes(UTF_8)))
            .put("deadlineMillis", 30_000)
            .put("resultBytes", 1 << 20)
            .put("approved", approved);
    body.putObject("grants").putNull("permissions");
    return send(
        request("/v1/runs/run-1/calls/" + number).PUT(BodyPublishers.ofString(body.toString())),
        "call " + number);
  }

  private static String text(JsonNode outcome, String field) {
    try {
      return new String(outcome.path(field).binaryValue(), UTF_8);
    } catch (IOException e) {
      throw new AssertionError(outcome.toString(), e);
    }
  }

  private HttpRequest.Builder request(String path) {
    InetSocketAddress address = gateway.address();
    return HttpRequest.newBuilder(URI.create("http://" + LOOPBACK + ":" + address.getPort() + path))
        .header("Authorization", "Bearer " + TOKEN);
  }

  private JsonNode send(HttpRequest.Builder request, String what) {
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() == 421) {
        // As the operator does: a call names the process that is to make it.
        String instance = JSON.readTree(response.body()).path("instance").asText();
        request.setHeader(GatewayEndpoint.INSTANCE_HEADER, instance);
        response = http.send(request.build(), BodyHandlers.ofString());
      }
      assertThat(response.statusCode()).as(what + response.body()).isIn(200, 404);
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(what, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }
}
