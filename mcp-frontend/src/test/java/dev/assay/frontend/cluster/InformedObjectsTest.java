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
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true)
class InformedObjectsTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @Test
  void whoFollowsARunGetsItWholeAlsoFromTheFirstList() throws InterruptedException {
    create(Fixtures.run("run-a", Fixtures.succeeded("all of the output")));
    CountDownLatch followed = new CountDownLatch(1);
    UnaryOperator<AnalyticsRun> onceFollowed =
        run -> {
          awaitUninterruptibly(followed);
          return LightCopies.of(run);
        };
    try (InformedObjects<AnalyticsRun> runs = informed(onceFollowed);
        Subscription<AnalyticsRun> subscription = runs.follow("runs", "run-a")) {
      followed.countDown();

      Change<AnalyticsRun> change = Objects.requireNonNull(subscription.next(SOON));

      assertThat(Objects.requireNonNull(change.object().getStatus().result()).output())
          .isEqualTo("all of the output");
      assertThat(change.object().getSpec().code()).isEqualTo("pass");
    }
  }

  @Test
  void theCacheHasLightCopiesOfWhatWasListedAndOfWhatCameLater() throws InterruptedException {
    create(Fixtures.run("run-a", Fixtures.succeeded("output of run-a")));
    try (InformedObjects<AnalyticsRun> runs = informed(LightCopies::of);
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

  private InformedObjects<AnalyticsRun> informed(UnaryOperator<AnalyticsRun> lighten) {
    return new InformedObjects<>(
        Map.of("runs", client.resources(AnalyticsRun.class).inNamespace("runs")), lighten);
  }

  private void create(AnalyticsRun run) {
    var unused = client.resource(run).create();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
