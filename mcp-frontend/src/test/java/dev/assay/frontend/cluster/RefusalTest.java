package dev.assay.frontend.cluster;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.watch.ClusterException;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListMetaBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Against scripted answers. */
@EnableKubernetesMockClient(https = false)
class RefusalTest {
  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @Test
  void whatAPolicySaysIsToldAndWhatRbacSaysIsNot() {
    refuse(403, "ValidatingAdmissionPolicy 'caller' denied request: not your namespace");
    refuse(403, "User \"system:serviceaccount:assay:frontend\" cannot create resource");
    refuse(422, "spec.timeoutSeconds: must be at most 600");
    try (ClusterRuns runs = new ClusterRuns(client, List.of())) {
      assertThatThrownBy(() -> runs.create(Fixtures.run("run-a", null)))
          .hasMessageContaining("not your namespace");
      assertThatThrownBy(() -> runs.create(Fixtures.run("run-a", null)))
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.kind()).isEqualTo(ClusterException.Kind.REFUSED))
          .hasMessage("the cluster refused it (403); the platform team can see why");
      assertThatThrownBy(() -> runs.create(Fixtures.run("run-a", null)))
          .hasMessageContaining("must be at most 600");
    }
  }

  /** As before its RoleBinding is there. */
  @Test
  void aNamespaceThatMayNotBeReadKeepsNoOtherWaitingAndIsNotShownAsEmpty() {
    var none = new DefaultKubernetesResourceList<AnalyticsRun>();
    none.setMetadata(new ListMetaBuilder().withResourceVersion("1").build());
    none.setItems(List.of());
    list("open", 200, none);
    list("closed", 403, failure(403, "not yet"));
    try (ClusterRuns watched = new ClusterRuns(client, List.of("open", "closed"))) {
      await(watched::hasSynced);
      assertThat(watched.list("open")).isEmpty();
      assertThatThrownBy(() -> watched.list("closed"))
          .hasMessage(
              "namespace 'closed' is not served yet: the endpoint may not read its analyticsruns;"
                  + " ask the platform team, or retry later");
    }
  }

  @Test
  void anOverloadedServerIsUnavailableAndOneThatDoesNotKnowUsAFaultOfTheInstallation() {
    ClusterException overloaded =
        Api.translate(new KubernetesClientException("too many requests", 429, new Status()));
    assertThat(overloaded.kind()).isEqualTo(ClusterException.Kind.OVERLOADED);
    assertThat(overloaded.wasNotDone()).isTrue();
    assertThat(Api.translate(new KubernetesClientException("Unauthorized", 401, new Status())))
        .extracting(ClusterException::kind)
        .isEqualTo(ClusterException.Kind.MISCONFIGURED);
  }

  private void refuse(int code, String message) {
    server
        .expect()
        .post()
        .withPath("/apis/assay.dev/v1alpha1/namespaces/runs/analyticsruns")
        .andReturn(code, failure(code, message))
        .once();
  }

  private void list(String namespace, int code, Object answer) {
    server
        .expect()
        .get()
        .withPath("/apis/assay.dev/v1alpha1/namespaces/" + namespace + "/analyticsruns?limit=50")
        .andReturn(code, answer)
        .always();
  }

  private static Status failure(int code, String message) {
    return new StatusBuilder().withStatus("Failure").withCode(code).withMessage(message).build();
  }
}
