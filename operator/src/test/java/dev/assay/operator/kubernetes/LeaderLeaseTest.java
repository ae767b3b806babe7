package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnableKubernetesMockClient(https = false)
class LeaderLeaseTest {
  private static final String LEASE =
      "/apis/coordination.k8s.io/v1/namespaces/assay-system/leases/assay-operator";

  @Nullable KubernetesMockServer server;
  @Nullable KubernetesClient client;

  @Test
  void theHolderGivesTheLeaseUpInOneWriteThatAnotherHolderWouldRefuse() throws Exception {
    answer(200, new LeaseBuilder().withNewMetadata().endMetadata().build());
    lease().release();
    RecordedRequest request = Objects.requireNonNull(server).takeRequest();
    assertThat(request.getHeader("Content-Type")).startsWith("application/json-patch+json");
    assertThat(request.getBody().readUtf8())
        .isEqualTo(
            "[{\"op\":\"test\",\"path\":\"/spec/holderIdentity\",\"value\":\"operator-1\"},"
                + "{\"op\":\"replace\",\"path\":\"/spec/holderIdentity\",\"value\":\"\"}]");
    assertThat(Objects.requireNonNull(server).getRequestCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {422, 404, 403})
  void aReplicaThatCannotGiveItUpEndsAllTheSame(int code) {
    answer(code, new StatusBuilder().withCode(code).withStatus("Failure").build());
    assertThatCode(() -> lease().release()).doesNotThrowAnyException();
    assertThat(Objects.requireNonNull(server).getRequestCount()).isEqualTo(1);
  }

  @Test
  void aLeaseOfAnotherHolderIsNotHeld() {
    answerRead(200, held("operator-1"));
    assertThat(lease().isHeldOrUnknown()).isTrue();
    answerRead(200, held("operator-2"));
    assertThat(lease().isHeldOrUnknown()).isFalse();
    answerRead(403, new StatusBuilder().withCode(403).withStatus("Failure").build());
    assertThat(lease().isHeldOrUnknown()).as("what cannot be read tells nothing").isTrue();
  }

  private static Lease held(String holder) {
    return new LeaseBuilder()
        .withNewMetadata()
        .withName("assay-operator")
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity(holder)
        .endSpec()
        .build();
  }

  private void answerRead(int code, Object body) {
    Objects.requireNonNull(server).expect().get().withPath(LEASE).andReturn(code, body).once();
  }

  private void answer(int code, Object body) {
    Objects.requireNonNull(server).expect().patch().withPath(LEASE).andReturn(code, body).always();
  }

  private LeaderLease lease() {
    return new LeaderLease(
        Objects.requireNonNull(client), "assay-system", "assay-operator", "operator-1");
  }
}
