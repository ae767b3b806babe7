package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.RunnerNetworkPolicy;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@EnableKubernetesMockClient(https = false, crud = true)
class NetworkPolicyGuardTest {
  private static final Map<String, String> OPERATOR = Map.of("app", "assay-operator");
  private static final String POLICIES =
      "/apis/networking.k8s.io/v1/namespaces/" + Samples.NAMESPACE + "/networkpolicies";
  private static final NetworkPolicy WANTED =
      RunnerNetworkPolicy.build(Samples.NAMESPACE, "assay-system", OPERATOR);

  @Nullable KubernetesMockServer server;
  @Nullable KubernetesClient client;
  private final ManualThreads threads = new ManualThreads();
  private final ManualThreads eventThreads = new ManualThreads();
  private final List<Duration> delays = new CopyOnWriteArrayList<>();
  private @Nullable NetworkPolicyGuard guard;

  @BeforeEach
  void watch() {
    guard =
        new NetworkPolicyGuard(
            client(),
            "assay-system",
            OPERATOR,
            new EventRecorder(client(), eventThreads, new ManualClock()),
            threads,
            delay -> {
              delays.add(delay);
              return threads;
            });
    guard.watch(Samples.NAMESPACE);
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
        .withPath(POLICIES)
        .andReturn(409, new StatusBuilder().withCode(409).withReason("AlreadyExists").build())
        .always();
    guard().ensure(Samples.NAMESPACE);
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
  }

  @Test
  void aPolicyThatOpensTheInternetIsNamedAsLongAsItIsThereWhateverItsName() {
    Map<String, String> labels = Map.of(Labels.RUN_CLASS, "python");
    NetworkPolicy own =
        new NetworkPolicyBuilder(WANTED).editSpec().addNewEgress().endEgress().endSpec().build();
    NetworkPolicy foreign = named("web", own);
    client().resource(foreign).create();
    awaitOpen(labels, "NetworkPolicy web in namespace " + Samples.NAMESPACE);
    client().resource(foreign).delete();
    awaitOpen(labels, "");
    client().resource(own).create();
    awaitOpen(labels, "NetworkPolicy " + RunnerNetworkPolicy.NAME);
    client().resource(own).delete();
    awaitOpen(labels, "");
    assertThat(guard().openToInternet("elsewhere", labels)).isEmpty();
    assertThat(guard().areKnown("elsewhere")).isFalse();
  }

  private static NetworkPolicy named(String name, NetworkPolicy policy) {
    return new NetworkPolicyBuilder(policy).editMetadata().withName(name).endMetadata().build();
  }

  private void awaitOpen(Map<String, String> labels, String beginning) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    String found;
    do {
      assertThat(System.nanoTime()).as("the watch reports it").isLessThan(end);
      found = guard().openToInternet(Samples.NAMESPACE, labels).orElse("");
    } while (beginning.isEmpty() ? !found.isEmpty() : !found.startsWith(beginning));
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

  @Test
  void aRepairThatIsRefusedIsTriedAgainByItself() throws Exception {
    keep();
    Objects.requireNonNull(server)
        .expect()
        .post()
        .withPath(POLICIES)
        .andReturn(403, new StatusBuilder().withCode(403).withReason("Forbidden").build())
        .times(2);
    client().resource(WANTED).delete();
    threads.runNext();
    threads.runNext();
    threads.runNext();
    assertThat(stored().getSpec()).isEqualTo(WANTED.getSpec());
    assertThat(delays).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
  }

  @Test
  void aDeletionIsReportedBeforeAndAfterThePolicyIsRestored() throws Exception {
    keep();
    List<Boolean> isolated = isolatedAtEachReport();
    client().resource(WANTED).delete();
    threads.runNext();
    threads.runNext();
    assertThat(isolated).as("the watch, the repair, the watch").containsExactly(false, false, true);
  }

  @Test
  void aChangeIsReportedBeforeAndAfterThePolicyIsRestored() throws Exception {
    keep();
    List<Boolean> isolated = isolatedAtEachReport();
    client().resource(open()).update();
    threads.runNext();
    threads.runNext();
    assertThat(isolated).as("the watch, the repair, the watch").containsExactly(false, false, true);
  }

  @Test
  void aChangeThatCannotBeRestoredIsReportedOnce() throws Exception {
    keep();
    Objects.requireNonNull(server)
        .expect()
        .patch()
        .withPath(POLICIES + "/" + RunnerNetworkPolicy.NAME)
        .andReturn(200, open())
        .always();
    List<Boolean> isolated = isolatedAtEachReport();
    client().resource(open()).update();
    threads.runNext();
    guard().ensure(Samples.NAMESPACE);
    guard().ensure(Samples.NAMESPACE);
    assertThat(isolated).as("the watch and the repair").containsExactly(false, false);
  }

  private List<Boolean> isolatedAtEachReport() {
    List<Boolean> isolated = new CopyOnWriteArrayList<>();
    guard()
        .onChange(
            namespace -> {
              NetworkPolicy found = client().resource(WANTED).get();
              isolated.add(found != null && found.getSpec().equals(WANTED.getSpec()));
            });
    return isolated;
  }

  @Test
  void aChangeOfAnotherPolicyIsReported() throws Exception {
    keep();
    List<String> changed = new CopyOnWriteArrayList<>();
    guard().onChange(changed::add);
    client().resource(allowAllEgress()).create();
    eventThreads.runNext();
    assertThat(changed).containsExactly(Samples.NAMESPACE);
  }

  @Test
  void aPolicyOfOthersThatOpensRunPodsIsTold() throws Exception {
    keep();
    client().resource(allowAllEgress()).create();
    eventThreads.runNext();
    assertThat(client().v1().events().inNamespace(Samples.NAMESPACE).list().getItems())
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getReason()).isEqualTo("OpensRunPods");
              assertThat(event.getType()).isEqualTo("Warning");
              assertThat(event.getInvolvedObject().getName()).isEqualTo("allow-all");
            });
  }

  @Test
  void aNamespaceWhosePoliciesAreNotWatchedIsASymptom() {
    assertThat(guard().symptoms(namespace -> false)).isEmpty();
    guard().close();
    assertThat(guard().symptoms(namespace -> false))
        .singleElement()
        .asString()
        .contains(Samples.NAMESPACE);
  }

  private static NetworkPolicy allowAllEgress() {
    return new NetworkPolicyBuilder()
        .withNewMetadata()
        .withName("allow-all")
        .withNamespace(Samples.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withNewPodSelector()
        .endPodSelector()
        .withPolicyTypes("Egress")
        .addNewEgress()
        .endEgress()
        .endSpec()
        .build();
  }

  /** Starts the guard, and waits until the policy exists and was seen. */
  private void keep() throws InterruptedException {
    guard().startRepairing();
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
