package dev.assay.operator.crds;

import dev.assay.api.v1alpha1.CrdManifests;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides whether the CRD of this version may replace that of the cluster. */
final class CrdDecision {
  private CrdDecision() {}

  /**
   * Whether the CRD of the cluster is of a newer version: it stays, since an older one would drop
   * fields of objects that the newer version has written.
   */
  static boolean isNewer(CustomResourceDefinition live, CustomResourceDefinition wanted) {
    return CrdManifests.revision(live) > CrdManifests.revision(wanted);
  }

  /** Why the CRD must not be replaced; empty if it may be. */
  static Optional<String> refusal(CustomResourceDefinition live, CustomResourceDefinition wanted) {
    List<String> versions =
        wanted.getSpec().getVersions().stream()
            .map(CustomResourceDefinitionVersion::getName)
            .toList();
    List<String> lost =
        live.getStatus() == null
            ? new ArrayList<>()
            : new ArrayList<>(live.getStatus().getStoredVersions());
    lost.removeAll(versions);
    if (lost.isEmpty()) {
      return Optional.empty();
    }
    String stored = String.join(", ", lost);
    return Optional.of(
        "objects of %s may be stored in version %s, which its new CRD does not have. Write these objects again in version %s, remove %s from status.storedVersions of the CRD, and upgrade again"
            .formatted(live.getMetadata().getName(), stored, String.join(", ", versions), stored));
  }
}
