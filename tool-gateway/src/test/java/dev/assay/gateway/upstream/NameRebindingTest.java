package dev.assay.gateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.address.AddressRange;
import dev.assay.gateway.address.AddressRules;
import dev.assay.gateway.address.ChangingResolverProvider;
import dev.assay.gateway.call.CallReply;
import dev.assay.gateway.call.CallRequest;
import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.call.Calls;
import dev.assay.gateway.call.ToolServerSource;
import dev.assay.gateway.metrics.UpstreamMetrics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of a tool server that resolves to an address inside once it was looked at. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "only there 127.0.0.2 is this machine, too")
class NameRebindingTest {
  private static final String ALLOWED = "127.0.0.2";
  private static final AddressRules RULES =
      new AddressRules(List.of(AddressRange.parse(ALLOWED)), List.of());

  /** Another one for each test: what is known of names is kept as long as the process. */
  private final String host = "rebinds-" + UUID.randomUUID() + ".example";

  private final AtomicInteger looks = new AtomicInteger();
  private final Clock clock = Clock.systemUTC();
  private final Upstreams upstreams =
      new Upstreams(
          name -> Optional.empty(),
          RULES,
          new ReplyMemory(64 << 20),
          new ListMemory(64 << 20),
          clock);
  private ServerSocket inside;
  private ScriptedServer server;
  private Calls calls;

  @BeforeEach
  void start() throws IOException {
    inside = new ServerSocket(0, 0, InetAddress.ofLiteral("127.0.0.1"));
    int port = inside.getLocalPort();
    server = new ScriptedServer(new InetSocketAddress(InetAddress.ofLiteral(ALLOWED), port));
    server.closeConnections();
    ToolServer named = Servers.of(Servers.spec("http://" + host + ":" + port + "/mcp"));
    ToolServerSource servers =
        new ToolServerSource() {
          @Override
          public boolean isRead() {
            return true;
          }

          @Override
          public Optional<ToolServer> find(String namespace, String name) {
            return Optional.of(named);
          }
        };
    calls =
        new Calls(
            servers, upstreams, new CallTable(1 << 20, clock), UpstreamMetrics.unread(), clock);
  }

  @AfterEach
  void stop() throws IOException {
    upstreams.close();
    server.close();
    inside.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "169.254.169.254"})
  void aNameThatMovesBetweenTwoRequestsOfOneCallIsNotFollowed(String forbidden) throws Exception {
    resolve(look -> look == 1 ? ALLOWED : forbidden);
    assertRefused(call(1));
    assertThat(looks).hasValueGreaterThan(1);
    assertThat(server.methods()).containsExactly("initialize");
    assertNothingCameIn();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "169.254.169.254"})
  void aNameThatMovesBetweenTwoCallsOfOneSessionIsNotFollowed(String forbidden) throws Exception {
    resolve(look -> ALLOWED);
    assertThat(call(1).ok()).isTrue();
    resolve(look -> forbidden);
    assertRefused(call(2));
    assertThat(server.count("tools/call")).isEqualTo(1);
    assertNothingCameIn();
  }

  /** From now on; the looks are counted from 1. */
  private void resolve(IntFunction<String> address) {
    ChangingResolverProvider.resolve(host, () -> address.apply(looks.incrementAndGet()));
  }

  private CallReply call(int number) {
    byte[] arguments = "{}".getBytes(UTF_8);
    return calls
        .call(
            "r",
            number,
            new CallRequest(
                Servers.NAMESPACE,
                "tools",
                "a",
                "{}",
                CallRequest.digest("tools", "a", arguments),
                Duration.ofSeconds(20),
                1000,
                null,
                null))
        .orElseThrow()
        .join();
  }

  private static void assertRefused(CallReply reply) {
    assertThat(reply.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
    assertThat(reply.sent()).isEqualTo(Sent.NO);
    assertThat(reply.message()).isEqualTo("The server has an address that is refused.");
  }

  /** A connection would have been made before its call has ended. */
  private void assertNothingCameIn() throws IOException {
    inside.setSoTimeout(200);
    assertThatThrownBy(inside::accept).isInstanceOf(SocketTimeoutException.class);
  }
}
