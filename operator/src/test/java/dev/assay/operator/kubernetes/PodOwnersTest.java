package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodOwnersTest {
  private static final String LABEL = "assay.dev/dataset-uid";

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

  @Test
  void theOwnerOfAPodIsTheOneThatItsLabelAndItsReferenceName() {
    Dataset owner = dataset("uid-1");
    Pod owned = owned("uid-1", "uid-1");

    assertThat(PodOwners.owner(owned, LABEL, id -> Optional.of(owner))).contains(owner);
    assertThat(PodOwners.owner(owned, LABEL, id -> Optional.of(dataset("uid-2"))))
        .as("a newer object of the name")
        .isEmpty();
    assertThat(PodOwners.owner(owned, LABEL, id -> Optional.empty())).isEmpty();
    assertThat(PodOwners.owner(owned("uid-1", "uid-3"), LABEL, id -> Optional.of(owner)))
        .as("only the label says so")
        .isEmpty();
    assertThat(PodOwners.owner(owned(null, "uid-1"), LABEL, id -> Optional.of(owner)))
        .as("no label")
        .isEmpty();
  }

  private static Dataset dataset(String uid) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(
        new ObjectMetaBuilder().withNamespace("runs").withName("sales").withUid(uid).build());
    return dataset;
  }

  private static Pod owned(@Nullable String label, String ownerUid) {
    return pod("Dataset", "Running")
        .edit()
        .editMetadata()
        .withLabels(label == null ? Map.of() : Map.of(LABEL, label))
        .editFirstOwnerReference()
        .withUid(ownerUid)
        .endOwnerReference()
        .endMetadata()
        .build();
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
