package dev.assay.api.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilentWatchTest {
  private static final long PATIENCE_SECONDS = 30;

  @Test
  void aWatchThatIsOpenAndSilentIsConnectedAnew() throws Exception {
    try (DeafApiServer server = new DeafApiServer();
        KubernetesClient client =
            new KubernetesClientBuilder()
                .withConfig(
                    new ConfigBuilder(Config.empty())
                        .withMasterUrl(server.uri())
                        .withWatchReconnectInterval(10)
                        .build())
                .withHttpClientFactory(
                    new ApiHttpClientFactory(Duration.ofMillis(20), Duration.ofMillis(200)))
                .build();
        SharedIndexInformer<Pod> informer = client.pods().inNamespace("analytics").inform()) {
      for (int connection = 1; connection <= 2; connection++) {
        assertThat(server.watches.poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
            .as("watch %s", connection)
            .contains("watch=true")
            .contains("resourceVersion=7");
      }
      assertThat(informer.isRunning()).isTrue();
    }
  }
}
