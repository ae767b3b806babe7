package dev.assay.frontend.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObjectSerializationTest {
  @Test
  void aRunIsReadWithoutManagedFields() {
    KubernetesSerialization serialization = ObjectSerialization.create();
    AnalyticsRun run =
        serialization.unmarshal(
            """
                apiVersion: assay.dev/v1alpha1
                kind: AnalyticsRun
                metadata:
                  name: a
                  annotations: {assay.dev/cache-invalidated: "true"}
                  managedFields: [{manager: operator, fieldsV1: {"f:spec": {"f:code": {}}}}]
                spec: {language: sql, code: "select 1"}
                """,
            AnalyticsRun.class);
    assertThat(serialization.asJson(run)).doesNotContain("managedFields");
    assertThat(run.getMetadata().getName()).isEqualTo("a");
    assertThat(run.getMetadata().getAnnotations())
        .isEqualTo(Map.of("assay.dev/cache-invalidated", "true"));
    assertThat(run.getSpec().code()).isEqualTo("select 1");
  }
}
