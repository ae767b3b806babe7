package dev.assay.cli.cluster;

import dev.assay.api.v1alpha1.CrdManifests;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.client.VersionInfo;
import java.util.List;
import java.util.Optional;

/** Whether the API server is one that Assay can work with, and has its CRDs. */
final class ApiFindings {
  /** The first version with ValidatingAdmissionPolicy, which the chart requires. */
  private static final int MIN_MINOR = 30;

  private ApiFindings() {}

  static Finding version(VersionInfo version) {
    // Some providers append a plus sign.
    String minor = version.getMinor().replaceAll("\\D+$", "");
    boolean old =
        version.getMajor().equals("1")
            && minor.matches("\\d{1,4}")
            && Integer.parseInt(minor) < MIN_MINOR;
    return old
        ? Finding.failed(
            "Kubernetes is %s, and 1.%d or later is required: upgrade the cluster"
                .formatted(version.getGitVersion(), MIN_MINOR))
        : Finding.ok("Kubernetes " + version.getGitVersion());
  }

  /**
   * A CRD of the cluster.
   *
   * @param wanted that of this version
   */
  static Finding crd(CustomResourceDefinition wanted, Optional<CustomResourceDefinition> live) {
    String name = "the CRD " + wanted.getMetadata().getName();
    if (live.isEmpty()) {
      return Finding.failed(
          name
              + " is missing: run 'helm upgrade', or, where crds.upgrade is false, 'kubectl apply"
              + " --server-side -f helm/assay/files/crds'");
    }
    List<String> served = versions(live.get());
    List<String> missing =
        versions(wanted).stream().filter(version -> !served.contains(version)).toList();
    if (!missing.isEmpty()) {
      return Finding.failed(
          ("%s does not serve %s: run 'kubectl apply --server-side --force-conflicts -f"
                  + " helm/assay/files/crds' from a copy of the installed release")
              .formatted(name, String.join(", ", missing)));
    }
    int has = CrdManifests.revision(live.get());
    int expected = CrdManifests.revision(wanted);
    if (has < expected) {
      return Finding.failed(
          ("%s is of an earlier release than this command (revision %d, and %d here): run 'helm"
                  + " upgrade' with the chart of this release, or use the command of the installed"
                  + " one")
              .formatted(name, has, expected));
    }
    if (has > expected) {
      return Finding.note(
          ("%s is of a later release than this command (revision %d, and %d here), and stays so"
                  + " after a rollback: use the command of the installed release")
              .formatted(name, has, expected));
    }
    return Finding.ok(name + " serves " + String.join(", ", served));
  }

  private static List<String> versions(CustomResourceDefinition crd) {
    return crd.getSpec().getVersions().stream()
        .filter(version -> Boolean.TRUE.equals(version.getServed()))
        .map(CustomResourceDefinitionVersion::getName)
        .toList();
  }
}
