package dev.assay.api.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class RefusedNamespacesTest {
  private final RefusedNamespaces namespaces = new RefusedNamespaces();

  @Test
  void aRefusedNamespaceKeepsNoOtherWaiting() {
    Map<String, SharedIndexInformer<Pod>> informers =
        Map.of("open", informer(true), "closed", informer(false));
    assertThat(namespaces.hasSynced(informers)).isFalse();
    namespaces.onFailure("closed", answer(403));
    assertThat(namespaces.isRefused("closed")).isTrue();
    assertThat(namespaces.isRefused("open")).isFalse();
    assertThat(namespaces.hasSynced(informers)).isTrue();
    assertThat(namespaces.hasSynced(Map.of("closed", informer(false)))).as("none").isFalse();
  }

  @Test
  void aRefusalIsFoundAmongTheCausesOfAFailure() {
    namespaces.onFailure("one", new CompletionException(answer(403)));
    namespaces.onFailure("two", new IllegalStateException(new CompletionException(answer(403))));
    assertThat(namespaces.isRefused("one")).isTrue();
    assertThat(namespaces.isRefused("two")).isTrue();
  }

  @Test
  void anotherFailureIsNoRefusal() {
    namespaces.onFailure("down", new CompletionException(answer(503)));
    namespaces.onFailure("down", new IllegalStateException("403"));
    assertThat(namespaces.isRefused("down")).isFalse();
    assertThat(namespaces.hasSynced(Map.of("down", informer(false)))).isFalse();
  }

  @Test
  void withoutWhatBelongsToTheWholeClusterNothingIsServed() {
    namespaces.onFailure(RefusedNamespaces.CLUSTER, answer(403));
    assertThat(namespaces.hasSynced(Map.of(RefusedNamespaces.CLUSTER, informer(false)))).isFalse();
  }

  private static KubernetesClientException answer(int code) {
    return new KubernetesClientException(new StatusBuilder().withCode(code).build());
  }

  /** An informer that knows only whether it has synced. */
  @SuppressWarnings("unchecked") // A proxy has no type arguments.
  private static SharedIndexInformer<Pod> informer(boolean hasSynced) {
    return (SharedIndexInformer<Pod>)
        Proxy.newProxyInstance(
            RefusedNamespacesTest.class.getClassLoader(),
            new Class<?>[] {SharedIndexInformer.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("hasSynced")) {
                return hasSynced;
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }
}
