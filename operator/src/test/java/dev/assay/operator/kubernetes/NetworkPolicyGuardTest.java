package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerNetworkPolicy;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
class NetworkPolicyGuardTest {
  private static final Map<String, String> OPERATOR = Map.of("app", "assay-operator");
  private static final NetworkPolicy WANTED =
      RunnerNetworkPolicy.build(Samples.NAMESPACE, "assay-system", OPERATOR);

  @Nullable KubernetesMockServer server;
  @Nullable KubernetesClient client;
  private final ManualThreads threads = new ManualThreads();
  private @Nullable NetworkPolicyGuard guard;

  @BeforeEach
  void watch() {
    guard =
        new NetworkPolicyGuard(
            client(), List.of(Samples.NAMESPACE), "assay-system", OPERATOR, threads);
  }

  @AfterEach
  void stop() {
    guard().close();
  }

  @Test
  void aMissingPolicyIsMade() {
    guard().ensure(Samples.NAMESPACE);
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
  }

  @Test
  void aPolicyThatTheCacheDoesNotShowYetIsPutBackToo() {
    client().resource(open()).create();
    Objects.requireNonNull(server)
        .expect()
        .post()
        .withPath("/apis/networking.k8s.io/v1/namespaces/" + Samples.NAMESPACE + "/networkpolicies")
        .andReturn(409, new StatusBuilder().withCode(409).withReason("AlreadyExists").build())
        .always();
    guard().ensure(Samples.NAMESPACE);
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
  }

  @Test
  void onlyRunNamespacesAreShutIn() {
    assertThatThrownBy(() -> guard().ensure("kube-system"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPolicyThatIsChangedIsPutBack() throws Exception {
    keep();
    client().resource(open()).update();
    threads.runNext();
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
  }

  @Test
  void aPolicyThatIsDeletedIsPutBack() throws Exception {
    keep();
    client().resource(WANTED).delete();
    threads.runNext();
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
  }

  @Test
  void beforeItIsToBeKeptNobodyPutsItBack() {
    guard().ensure(Samples.NAMESPACE);
    client().resource(WANTED).delete();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (client().resource(WANTED).get() == null) {
      assertThat(System.nanoTime()).as("the watch tells of the deletion").isLessThan(end);
      guard().ensure(Samples.NAMESPACE);
    }
    assertThat(threads.waiting()).isZero();
  }

  /** Begins to keep the policy, and waits until it is there and seen. */
  private void keep() throws InterruptedException {
    guard().keep();
    threads.runNext();
    threads.runNext();
  }

  private NetworkPolicy open() {
    return new NetworkPolicyBuilder(WANTED).editSpec().withPolicyTypes("Ingress").endSpec().build();
  }

  private NetworkPolicy stored() {
    return client().resource(WANTED).require();
  }

  private KubernetesClient client() {
    return Objects.requireNonNull(client);
  }

  private NetworkPolicyGuard guard() {
    return Objects.requireNonNull(guard);
  }
}
