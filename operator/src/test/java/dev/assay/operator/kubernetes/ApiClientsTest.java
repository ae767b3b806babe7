package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.FakeApiServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

class ApiClientsTest {
  @Test
  void aRefusalIsAnAnswer() {
    try (FakeApiServer api = new FakeApiServer()) {
      api.refuse("GET", "/version", 403, "Forbidden", "version is forbidden");
      assertThat(ApiClients.isAnswered(api.client())).isTrue();
      assertThat(ApiClients.newConnectionIsAnswered(api.client())).isTrue();
    }
  }

  @Test
  void aServerThatIsAwayAnswersNobody() {
    FakeApiServer api = new FakeApiServer();
    try (KubernetesClient client = ApiClients.create(api.client().getConfiguration())) {
      api.close();
      assertThat(ApiClients.isAnswered(client)).isFalse();
      assertThat(ApiClients.newConnectionIsAnswered(client)).isFalse();
    }
  }
}
