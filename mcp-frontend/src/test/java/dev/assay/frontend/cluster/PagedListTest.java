package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Against scripted answers. */
@Tag("slow")
@EnableKubernetesMockClient(https = false)
class PagedListTest {
  private static final String RUNS = "/apis/assay.dev/v1alpha1/namespaces/runs/analyticsruns";

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @Test
  void everythingThereIsIsAskedForPageByPage() throws InterruptedException {
    page("?limit=50", "run-a", "rest");
    page("?continue=rest&limit=50", "run-b", null);
    try (InformedObjects<AnalyticsRun> runs =
            new InformedObjects<>(
                    AnalyticsRun.class,
                    Map.of("runs", client.resources(AnalyticsRun.class).inNamespace("runs")),
                    LightCopies::of)
                .start();
        Subscription<AnalyticsRun> last = runs.follow("runs", "run-b")) {
      assertThat(last.next(Duration.ofMinutes(1))).isNotNull();

      assertThat(runs.list("runs"))
          .extracting(run -> run.getMetadata().getName())
          .containsExactlyInAnyOrder("run-a", "run-b");
    }
  }

  private void page(String query, String name, @Nullable String next) {
    var list = new DefaultKubernetesResourceList<AnalyticsRun>();
    list.setMetadata(new ListMetaBuilder().withResourceVersion("1").withContinue(next).build());
    list.setItems(List.of(Fixtures.run(name, null)));
    server.expect().get().withPath(RUNS + query).andReturn(200, list).once();
  }
}
