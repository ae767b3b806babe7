package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CacheSerializationTest {
  private static final String BULK = "x".repeat(1000);

  private final KubernetesSerialization cached = CacheSerialization.create();

  @Test
  void aRunIsReadWithoutItsCodeAndItsResult() {
    AnalyticsRun run =
        cached.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: AnalyticsRun
            metadata:
              name: a
              resourceVersion: "5"
              managedFields: [{manager: BULK, operation: Update}]
              annotations:
                kubectl.kubernetes.io/last-applied-configuration: BULK
                assay.dev/limits: "5"
            spec: {language: sql, code: "BULK", input: "BULK", builtin: {name: sample, arguments: "BULK"}, datasets: [sales], timeoutSeconds: 5, files: [{path: a.py, text: "BULK"}]}
            status:
              phase: Succeeded
              message: done
              result: {output: "BULK", outputBytes: 1000, storedBytes: 1000, truncated: false}
              artifacts: [{path: "BULK", bytes: 1, sha256: a, mediaType: b}]
              inputs: [{run: r, uid: u, number: 1, artifact: a, bytes: 1, sha256: s, path: a}]
              usage: {cpuSeconds: "1.5"}
            """
                .replace("BULK", BULK),
            AnalyticsRun.class);
    assertThat(run.getSpec().code()).isEmpty();
    assertThat(run.getSpec().input()).isEmpty();
    assertThat(run.getSpec().builtin()).isEqualTo(new BuiltinSpec(Builtin.SAMPLE, ""));
    assertThat(run.getSpec().fileList()).containsExactly(new RunFile("a.py", ""));
    assertThat(run.getSpec().datasetNames()).containsExactly("sales");
    assertThat(run.getSpec().timeoutSeconds()).isEqualTo(5);
    AnalyticsRunStatus status = Objects.requireNonNull(run.getStatus());
    assertThat(status.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(status.result()).isNull();
    assertThat(status.artifacts()).isNull();
    assertThat(status.inputList()).as("a later write of the status repeats them").hasSize(1);
    assertThat(Objects.requireNonNull(status.usage()).cpuSeconds()).isEqualTo("1.5");
    assertThat(run.getMetadata().getResourceVersion()).isEqualTo("5");
    assertThat(run.getMetadata().getAnnotations())
        .containsOnlyKeys("assay.dev/limits", RunBytes.ANNOTATION);
    assertThat(RunBytes.of(run))
        .as("of all texts but that of kubectl's annotation, and of the rest of it")
        .isBetween(7L * BULK.length(), 8L * BULK.length());
    assertThat(cached.asJson(run)).doesNotContain("xxx");
  }

  @Test
  void aDatasetIsReadWithoutItsTable() {
    Dataset dataset =
        cached.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: Dataset
            metadata: {name: a}
            spec: {displayName: a, source: {format: csv, inline: {text: "BULK"}}}
            """
                .replace("BULK", BULK),
            Dataset.class);
    assertThat(Objects.requireNonNull(dataset.getSpec().source().inline()).text()).isEmpty();
    assertThat(cached.asJson(dataset)).doesNotContain("xxx");
  }

  @Test
  void aNodeIsReadWithoutItsStatus() {
    Node node =
        cached.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: a}
            spec: {unschedulable: true, podCIDR: 10.0.0.0/24}
            status: {images: [{names: [BULK]}]}
            """
                .replace("BULK", BULK),
            Node.class);
    assertThat(node.getMetadata().getName()).isEqualTo("a");
    assertThat(node.getSpec().getUnschedulable()).isTrue();
    assertThat(node.getStatus()).isNull();
  }
}
