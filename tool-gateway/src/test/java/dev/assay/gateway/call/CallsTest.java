package dev.assay.gateway.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.gateway.metrics.UpstreamMetrics;
import dev.assay.gateway.upstream.ListMemory;
import dev.assay.gateway.upstream.ReplyMemory;
import dev.assay.gateway.upstream.Servers;
import dev.assay.gateway.upstream.Upstreams;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallsTest {
  @Test
  void aSecretThatCannotBeReadIsKnownNotToHaveBeenSent() {
    Clock clock = Clock.systemUTC();
    ToolServer server =
        Servers.of(Servers.spec("http://127.0.0.1:1/mcp").withAuth(new Auth("key", null, null)));
    try (Upstreams upstreams =
        new Upstreams(
            name -> {
              throw new KubernetesClientException("no API server");
            },
            Servers.LOOPBACK,
            new ReplyMemory(1 << 20),
            new ListMemory(1 << 20),
            clock)) {
      Calls calls =
          new Calls(
              new ToolServerSource() {
                @Override
                public boolean isRead() {
                  return true;
                }

                @Override
                public Optional<ToolServer> find(String namespace, String name) {
                  return Optional.of(server);
                }
              },
              upstreams,
              new CallTable(1000, clock),
              UpstreamMetrics.unread(),
              clock);
      CallReply outcome =
          calls
              .call(
                  "r",
                  1,
                  new CallRequest(
                      Servers.NAMESPACE,
                      "tools",
                      "a",
                      "{}",
                      CallRequest.digest("tools", "a", "{}".getBytes(UTF_8)),
                      Duration.ofSeconds(10),
                      1000,
                      null,
                      null))
              .orElseThrow()
              .join();
      assertThat(outcome.code()).isEqualTo(CallCode.UPSTREAM_UNAVAILABLE);
      assertThat(outcome.sent()).isEqualTo(Sent.NO);
      assertThat(outcome.message()).doesNotContain("key", "no API server");
    }
  }
}
