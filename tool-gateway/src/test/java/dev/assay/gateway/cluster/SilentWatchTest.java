package dev.assay.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.api.kubernetes.ApiHttpClientFactory;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.gateway.Await;
import dev.assay.gateway.upstream.Servers;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is known of a tool server while no watch tells of it. */
@Tag("slow")
class SilentWatchTest {
  private static final ToolServerSpec SPEC = Servers.spec("https://example.com/mcp");

  private final AtomicLong now = new AtomicLong();
  private SilentApiServer api;
  private KubernetesClient client;
  private ToolServers servers;

  @BeforeEach
  void start() throws Exception {
    api = new SilentApiServer(Servers.of(SPEC));
    client =
        ApiHttpClientFactory.clientBuilder()
            .withConfig(new ConfigBuilder(Config.empty()).withMasterUrl(api.uri()).build())
            .build();
    servers =
        new ToolServers(client, List.of(Servers.NAMESPACE), now::get, (namespace, name) -> {});
    servers.start();
    Await.await(servers::isRead);
  }

  @AfterEach
  void stop() {
    servers.close();
    client.close();
    api.close();
  }

  private Optional<ToolServer> find() {
    return servers.find(Servers.NAMESPACE, "tools");
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void aServerThatIsDisabledIsKnownToBeAfterFiveSeconds() {
    assertThat(find().orElseThrow().getSpec().disabled()).isFalse();
    api.set(Servers.of(SPEC.withEnabled(false), 2));

    pass(Duration.ofMillis(4999));
    assertThat(find().orElseThrow().getSpec().disabled()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(find().orElseThrow().getSpec().disabled()).isTrue();
    assertThat(api.reads).hasValue(2);

    pass(Duration.ofSeconds(5));
    api.set(null);
    assertThat(find()).isEmpty();
  }

  @Test
  void callsAtTheSameTimeHaveOneRead() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Optional<ToolServer>>> found = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        found.add(threads.submit(this::find));
      }
      for (Future<Optional<ToolServer>> server : found) {
        assertThat(server.get()).isPresent();
      }
    }
    assertThat(api.reads).hasValue(1);
  }

  @Test
  void whatIsKnownHoldsForAMinuteWhereTheApiServerCannotBeAsked() {
    assertThat(find()).isPresent();
    api.answerReads(false);

    pass(KnownServer.MAX_AGE);
    assertThat(find()).isPresent();
    int reads = api.reads.get();
    pass(Duration.ofSeconds(1));
    assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(this::find);
    assertThat(api.reads).as("asked again at once").hasValue(reads);

    api.answerReads(true);
    pass(Duration.ofSeconds(5));
    assertThat(find()).isPresent();
  }

  @Test
  void aServerThatNobodyCouldReadIsNotCalled() {
    api.answerReads(false);

    assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(this::find);
  }

  @Test
  void aNameThatNoServerHasIsNotAskedFor() {
    assertThat(servers.find(Servers.NAMESPACE, "other")).isEmpty();
    assertThat(servers.find("elsewhere", "tools")).isEmpty();
    assertThat(api.reads).hasValue(0);
  }
}
