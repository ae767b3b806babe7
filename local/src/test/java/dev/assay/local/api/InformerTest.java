package dev.assay.local.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Assay's own clients run on the stand-in as they run on a cluster. */
@Tag("slow")
@Timeout(120)
class InformerTest {
  private static final int RUNS = 1000;
  private static final int THREADS = 16;

  /** The client miscounts characters of more than one byte where it watches without a WebSocket. */
  private static final String CODE = "print('Grüße, 世界, 🚀')";

  private final RunningServer running = new RunningServer();
  private final KubernetesClient client = running.client();

  @AfterEach
  void stop() {
    running.close();
  }

  @Test
  void anInformerLosesNothingOfAThousandRuns() throws Exception {
    CountDownLatch patched = new CountDownLatch(RUNS);
    CountDownLatch deleted = new CountDownLatch(RUNS / 2);
    Set<String> added = ConcurrentHashMap.newKeySet();
    SharedIndexInformer<AnalyticsRun> informer =
        client
            .resources(AnalyticsRun.class)
            .inNamespace(RunningServer.NAMESPACE)
            .inform(new Recorder(added, patched, deleted));
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < RUNS; i++) {
        String name = "run-" + i;
        boolean removed = i % 2 == 0;
        var unused =
            threads.submit(
                () -> {
                  create(name);
                  patch(name);
                  if (removed) {
                    delete(name);
                  }
                });
      }
    }
    assertThat(patched.await(60, TimeUnit.SECONDS)).as("patches left: %s", patched).isTrue();
    assertThat(deleted.await(60, TimeUnit.SECONDS)).as("deletions left: %s", deleted).isTrue();
    assertThat(added).hasSize(RUNS);
    assertThat(informer.getStore().list())
        .hasSize(RUNS / 2)
        .allMatch(run -> run.getSpec().code().equals(CODE))
        .allMatch(run -> "done".equals(run.getMetadata().getLabels().get("state")));
  }

  private void create(String name) {
    AnalyticsRun run = new AnalyticsRun();
    run.getMetadata().setName(name);
    run.getMetadata().setNamespace(RunningServer.NAMESPACE);
    run.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className("python")
            .language(Language.PYTHON)
            .code(CODE)
            .build());
    client.resource(run).create();
  }

  private void patch(String name) {
    client
        .resources(AnalyticsRun.class)
        .inNamespace(RunningServer.NAMESPACE)
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON),
            "[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"state\": \"done\"}}]");
  }

  private void delete(String name) {
    client
        .resources(AnalyticsRun.class)
        .inNamespace(RunningServer.NAMESPACE)
        .withName(name)
        .delete();
  }

  /** What an informer has told; an object may be told of first when it is patched already. */
  private record Recorder(Set<String> added, CountDownLatch patched, CountDownLatch deleted)
      implements ResourceEventHandler<AnalyticsRun> {
    @Override
    public void onAdd(AnalyticsRun run) {
      added.add(run.getMetadata().getName());
      countIfPatched(run);
    }

    @Override
    public void onUpdate(AnalyticsRun before, AnalyticsRun run) {
      if (before.getMetadata().getLabels().isEmpty()) {
        countIfPatched(run);
      }
    }

    private void countIfPatched(AnalyticsRun run) {
      Map<String, String> labels = run.getMetadata().getLabels();
      if ("done".equals(labels.get("state"))) {
        patched.countDown();
      }
    }

    @Override
    public void onDelete(AnalyticsRun run, boolean finalStateUnknown) {
      deleted.countDown();
    }
  }

  @Test
  void leadershipPassesOnWhenALeaderResigns() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    CompletableFuture<?> one = elector("one", first).start();
    assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<?> two = elector("two", second).start();
    one.cancel(true);
    assertThat(second.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(
            client
                .leases()
                .inNamespace(RunningServer.NAMESPACE)
                .withName("leader")
                .require()
                .getSpec()
                .getHolderIdentity())
        .isEqualTo("two");
    two.cancel(true);
  }

  private LeaderElector elector(String identity, CountDownLatch leads) {
    return client
        .leaderElector()
        .withConfig(
            new LeaderElectionConfigBuilder()
                .withName("leader")
                .withLock(new LeaseLock(RunningServer.NAMESPACE, "leader", identity))
                .withReleaseOnCancel(true)
                .withLeaseDuration(Duration.ofSeconds(4))
                .withRenewDeadline(Duration.ofSeconds(3))
                .withRetryPeriod(Duration.ofMillis(200))
                .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, () -> {}, leader -> {}))
                .build())
        .build();
  }
}
