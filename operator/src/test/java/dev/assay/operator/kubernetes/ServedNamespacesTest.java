package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServedNamespacesTest {
  private final Set<String> refused = new HashSet<>();
  private final Set<String> missing = new HashSet<>();
  private String denied = "";
  private final List<String> begun = new ArrayList<>();
  private final FakeApiServer api = new FakeApiServer();
  private final ServedNamespaces namespaces =
      new ServedNamespaces(
          api.client(),
          List.of(namespace("a"), namespace("b"), namespace("c")),
          List.of(AnalyticsRun.class, Pod.class));

  ServedNamespacesTest() throws Exception {
    api.intercept(
        request ->
            refused.stream().anyMatch(request.path()::contains)
                ? Optional.of(new FakeApiServer.Answer(403, "{\"message\": \"no\"}"))
                : missing.stream().anyMatch(request.path()::contains)
                    ? Optional.of(new FakeApiServer.Answer(404, "{\"message\": \"no\"}"))
                    : request.is("POST", "selfsubjectaccessreviews")
                        ? Optional.of(new FakeApiServer.Answer(201, review(request)))
                        : Optional.empty());
  }

  private String review(FakeApiServer.Request request) {
    String resource = request.body().at("/spec/resourceAttributes/resource").asText();
    return "{\"kind\": \"SelfSubjectAccessReview\", \"apiVersion\": \"authorization.k8s.io/v1\","
        + " \"status\": {\"allowed\": "
        + !resource.equals(denied)
        + "}}";
  }

  @AfterEach
  void close() {
    namespaces.close();
    api.close();
  }

  private static RunNamespace namespace(String name) {
    return new RunNamespace(name, "snapshots", null, null);
  }

  @Test
  void oneThatMayNotBeWatchedYetIsServedOnceItMayBe() {
    refused.add("/namespaces/b/pods");
    namespaces.start(begun::add);
    assertThat(namespaces.names()).containsExactlyInAnyOrder("a", "c");
    assertThat(begun).containsExactly("a", "c");

    refused.clear();
    namespaces.serveNew(
        name -> {
          assertThat(namespaces.names()).as("only what is watched").doesNotContain(name);
          begun.add(name);
        });
    assertThat(begun).containsExactly("a", "c", "b");
    assertThat(namespaces.served()).extracting(RunNamespace::name).containsExactly("a", "b", "c");
  }

  @Test
  void withoutAnyThatMayBeWatchedTheOperatorDoesNotStart() {
    refused.add("/analyticsruns");
    assertThatThrownBy(() -> namespaces.start(begun::add))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessage(
            "No run namespace can be served: apply the CRDs and RoleBindings of the chart (no)");
  }

  @Test
  void withoutThePermissionToReadRunClassesTheOperatorDoesNotStart() {
    refused.add("/runclasses");
    assertThatThrownBy(() -> namespaces.start(begun::add)).satisfies(hasCode(403));
    assertThat(begun).isEmpty();
  }

  @Test
  void withoutTheCrdsTheOperatorDoesNotStart() {
    missing.add("/analyticsruns");
    assertThatThrownBy(() -> namespaces.start(begun::add))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("apply the CRDs")
        .hasMessageContaining("404");
    assertThat(begun).isEmpty();
  }

  /** As in local mode, where nobody has permissions. */
  @Test
  void whereNobodyKnowsOfPermissionsAllIsServed() {
    missing.add("/selfsubjectaccessreviews");
    namespaces.start(begun::add);
    assertThat(namespaces.names()).hasSize(3);
  }

  @Test
  void whatFailsForOneHarmsNoOther() {
    missing.add("/namespaces/a/");
    namespaces.start(
        name -> {
          if (name.equals("b")) {
            throw new IllegalStateException("cannot be watched");
          }
          begun.add(name);
        });
    assertThat(namespaces.names()).containsExactly("c");
  }

  @Test
  void aPermissionToListWithoutOneToWatchIsNotEnough() {
    denied = "pods";
    refused.add("/namespaces/a/");
    refused.add("/namespaces/b/");
    assertThatThrownBy(() -> namespaces.start(begun::add))
        .hasMessageContaining("the operator may not watch pods");
    assertThat(namespaces.mayNotWatch("c")).isTrue();
    denied = "";
    assertThat(namespaces.mayNotWatch("c")).isFalse();
    assertThat(namespaces.mayNotWatch("another")).isFalse();
  }

  private static Consumer<Throwable> hasCode(int code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(code));
  }
}
