package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JsonPatcherTest {
  private final FakeApiServer api = new FakeApiServer();
  private final CountDownLatch answer = new CountDownLatch(1);

  @AfterEach
  void close() {
    answer.countDown();
    api.close();
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void aPatchThatIsNotAnsweredIsGivenUp() {
    api.intercept(
        request -> {
          if (request.is("PATCH", "")) {
            answer.await();
          }
          return Optional.empty();
        });
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("runner")
            .withNamespace(Samples.NAMESPACE)
            .endMetadata()
            .build();
    ConfigBuilder config = new ConfigBuilder(api.client().getConfiguration());
    try (KubernetesClient client =
        ApiClients.create(config.withRequestTimeout(50).withRequestRetryBackoffLimit(0).build())) {
      JsonPatcher patcher = new JsonPatcher(client);
      assertThatThrownBy(() -> patcher.patch(pod, null, new ObjectMapper().createArrayNode()))
          .isInstanceOf(KubernetesClientException.class);
    }
  }
}
