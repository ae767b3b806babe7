package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodOwnersTest {
  private final PodOwners owners = new PodOwners(Dataset.class);
  private final List<String> ended = new ArrayList<>();

  PodOwnersTest() {
    owners.onPodEnded(ended::add);
  }

  @Test
  void aPodIsMappedToItsOwnersOfTheKind() {
    assertThat(owners.toPrimaryResourceIDs(pod("Dataset", "Running")))
        .containsExactly(new ResourceID("sales", "runs"));
    assertThat(owners.toPrimaryResourceIDs(pod("AnalyticsRun", "Running"))).isEmpty();
    assertThat(ended).isEmpty();
  }

  @Test
  void theNamespaceOfAPodThatHasEndedIsReported() {
    owners.toPrimaryResourceIDs(pod("Dataset", "Succeeded"));

    assertThat(ended).containsExactly("runs");
  }

  private static Pod pod(String ownerKind, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("runs")
        .addNewOwnerReference()
        .withApiVersion("assay.dev/v1alpha1")
        .withKind(ownerKind)
        .withName("sales")
        .endOwnerReference()
        .endMetadata()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }
}
