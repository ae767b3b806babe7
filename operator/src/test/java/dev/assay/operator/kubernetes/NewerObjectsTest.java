package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects that a newer version has written, as an informer of this one sees them. */
@EnableKubernetesMockClient(https = false, crud = true)
class NewerObjectsTest {
  @Nullable KubernetesClient client;
  private final BlockingQueue<AnalyticsRun> seen = new LinkedBlockingQueue<>();

  @Test
  void anInformerListsAndWatchesObjectsWithWhatIsNotKnown() throws Exception {
    create("listed");
    try (KubernetesClient light =
            ApiClients.create(Objects.requireNonNull(client).getConfiguration());
        SharedIndexInformer<AnalyticsRun> runs =
            light.resources(AnalyticsRun.class).inNamespace("team").inform(new Seen())) {
      assertIsRead("listed");
      create("watched");
      assertIsRead("watched");
      create("watched-next");
      assertIsRead("watched-next");
      assertThat(runs.isWatching()).isTrue();
    }
  }

  @Test
  void anObjectThatIsLeftAloneIsCounted() {
    assertThat(NewerObjects.isNewer(Samples.run())).isFalse();
    AnalyticsRun unknown =
        Samples.run(
            Samples.run().getSpec(),
            AnalyticsRunStatus.EMPTY.with(status -> status.phase(RunPhase.Unknown)));
    ProgramMetrics metrics = ProgramMetrics.create();
    NewerObjects.bindTo(metrics);
    String before = metrics.text();
    assertThat(NewerObjects.isNewer(unknown)).isTrue();
    assertThat(metrics.text())
        .isNotEqualTo(before)
        .contains("assay_newer_objects_left_alone_total{kind=\"AnalyticsRun\"} ");
  }

  private void assertIsRead(String name) throws InterruptedException {
    AnalyticsRun run = Objects.requireNonNull(seen.poll(20, TimeUnit.SECONDS));
    assertThat(run.getMetadata().getName()).isEqualTo(name);
    assertThat(run.getStatus().phase()).isEqualTo(RunPhase.Unknown);
    assertThat(run.getStatus().reason()).isEqualTo(RunReason.Unknown);
  }

  private void create(String name) {
    GenericKubernetesResource run =
        Serialization.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: AnalyticsRun
            metadata: {name: NAME, namespace: team}
            spec: {language: python, code: pass, newInSpec: {a: [1]}}
            status: {phase: Paused, reason: NewReason, newInStatus: x, pod: {name: p, uid: u, newInPod: 1}}
            """
                .replace("NAME", name),
            GenericKubernetesResource.class);
    var unused =
        Objects.requireNonNull(client)
            .genericKubernetesResources(
                ResourceDefinitionContext.fromResourceType(AnalyticsRun.class))
            .inNamespace("team")
            .resource(run)
            .create();
  }

  private final class Seen implements ResourceEventHandler<AnalyticsRun> {
    @Override
    public void onAdd(AnalyticsRun run) {
      seen.add(run);
    }

    @Override
    public void onUpdate(AnalyticsRun before, AnalyticsRun after) {}

    @Override
    public void onDelete(AnalyticsRun run, boolean isFinalStateUnknown) {}
  }
}
