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
                    : Optional.empty());
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
            "The operator may not watch any run namespace: apply the RoleBindings of the chart"
                + " (no)");
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
    assertThatThrownBy(() -> namespaces.start(begun::add)).satisfies(hasCode(404));
    assertThat(begun).isEmpty();
  }

  private static Consumer<Throwable> hasCode(int code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(code));
  }
}
