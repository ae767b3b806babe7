package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
class InformedObjectsTest {
  /** A busy machine takes more than five seconds to open a watch. */
  private static final Duration SOON = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @Test
  void whoFollowsARunGetsItWholeAlsoFromTheFirstList() throws InterruptedException {
    create(Fixtures.run("run-a", Fixtures.succeeded("all of the output")));
    try (InformedObjects<AnalyticsRun> runs = informed();
        Subscription<AnalyticsRun> subscription = runs.follow("runs", "run-a")) {
      assertThat(runs.start()).isSameAs(runs);

      Change<AnalyticsRun> change = Objects.requireNonNull(subscription.next(SOON));

      assertThat(Objects.requireNonNull(change.object().getStatus().result()).output())
          .isEqualTo("all of the output");
      assertThat(change.object().getSpec().code()).isEqualTo("pass");
    }
  }

  @Test
  void theCacheHasLightCopiesOfWhatWasListedAndOfWhatCameLater() throws InterruptedException {
    create(Fixtures.run("run-a", Fixtures.succeeded("output of run-a")));
    try (InformedObjects<AnalyticsRun> runs = informed().start();
        Subscription<AnalyticsRun> subscription = runs.follow("runs", "run-b")) {
      create(Fixtures.run("run-b", Fixtures.succeeded("output of run-b")));
      assertThat(subscription.next(SOON)).isNotNull();

      List<AnalyticsRun> cached = runs.list("runs");

      assertThat(cached)
          .extracting(run -> run.getMetadata().getName())
          .containsExactlyInAnyOrder("run-a", "run-b");
      assertThat(cached)
          .allSatisfy(
              run -> {
                assertThat(run.getSpec().code()).isEmpty();
                assertThat(run.getStatus().result()).isNull();
              });
    }
  }

  private InformedObjects<AnalyticsRun> informed() {
    return new InformedObjects<>(
        AnalyticsRun.class,
        Map.of("runs", client.resources(AnalyticsRun.class).inNamespace("runs")),
        LightCopies::of);
  }

  private void create(AnalyticsRun run) {
    var unused = client.resource(run).create();
  }
}
