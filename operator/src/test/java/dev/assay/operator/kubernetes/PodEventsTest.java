package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventListBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false)
class PodEventsTest {
  private static final String WARNINGS =
      "/api/v1/namespaces/"
          + Samples.NAMESPACE
          + "/events?fieldSelector=involvedObject.uid%3D"
          + Samples.POD_UID
          + "%2Ctype%3DWarning&limit=32";

  @Nullable KubernetesMockServer server;
  @Nullable KubernetesClient client;

  @Test
  void theNewestWarningAboutAPodIsTold() {
    answer(
        200,
        new EventListBuilder()
            .withItems(
                event("FailedMount", "no such path", "2026-11-01T10:00:05Z"),
                event("FailedScheduling", "no node", "2026-11-01T10:00:01Z"))
            .build());
    assertThat(events().lastWarning(Samples.runningPod(1))).contains("FailedMount: no such path");
  }

  @Test
  void aPodNobodyWarnedOfHasNone() {
    answer(200, new EventListBuilder().build());
    assertThat(events().lastWarning(Samples.runningPod(1))).isEmpty();
  }

  @Test
  void anApiServerThatRefusesCostsOnlyTheWords() {
    answer(403, "");
    assertThat(events().lastWarning(Samples.runningPod(1))).isEmpty();
  }

  private void answer(int code, Object body) {
    Objects.requireNonNull(server).expect().get().withPath(WARNINGS).andReturn(code, body).always();
  }

  private PodEvents events() {
    return new PodEvents(Objects.requireNonNull(client));
  }

  private static Event event(String reason, String message, String last) {
    return new EventBuilder()
        .withNewMetadata()
        .withName(reason)
        .endMetadata()
        .withType("Warning")
        .withReason(reason)
        .withMessage(message)
        .withLastTimestamp(last)
        .build();
  }
}
