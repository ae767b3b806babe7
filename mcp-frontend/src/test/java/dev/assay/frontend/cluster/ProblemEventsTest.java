package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
class ProblemEventsTest {
  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  private List<String> problems = List.of();

  @Test
  void anEventIsRecordedWhenProblemsChangeAndNotForEachLook() {
    try (ProblemEvents events =
        new ProblemEvents(
            client,
            new ObjectReferenceBuilder()
                .withKind("Pod")
                .withNamespace("assay-system")
                .withName("frontend-1")
                .withUid("uid-1")
                .build(),
            () -> problems,
            InstantSource.fixed(Instant.parse("2026-11-01T10:00:00Z")))) {
      events.look();
      assertThat(recorded()).isEmpty();
      problems = List.of("keys.[0].caller: secret text");
      events.look();
      events.look();
      problems = List.of();
      events.look();
      problems = List.of("a", "b");
      events.look();
    }
    assertThat(recorded())
        .extracting(Event::getMessage)
        .containsExactlyInAnyOrder(
            "The file of API keys has problems (1), so that some or all keys are refused;"
                + " /readyz names them",
            "The file of API keys has problems (2), so that some or all keys are refused;"
                + " /readyz names them");
    assertThat(recorded())
        .allSatisfy(
            event -> {
              assertThat(event.getReason()).isEqualTo("ApiKeysRefused");
              assertThat(event.getType()).isEqualTo("Warning");
              assertThat(event.getInvolvedObject().getUid()).isEqualTo("uid-1");
            });
  }

  private List<Event> recorded() {
    return client.v1().events().inNamespace("assay-system").list().getItems();
  }
}
