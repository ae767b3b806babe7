package dev.assay.operator.crds;

import dev.assay.api.v1alpha1.CrdManifests;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the CRDs of this version. */
public final class Crds {
  private static final Logger LOG = LoggerFactory.getLogger(Crds.class);
  private static final String FIELD_MANAGER = "assay-crds";

  private Crds() {}

  /** A CRD must not be replaced, so that none was changed; the message says why. */
  public static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Applies each CRD, unless the cluster has that of a newer version.
   *
   * @throws RefusedException before the first is applied
   */
  public static void upgrade(KubernetesClient client) {
    List<Resource<CustomResourceDefinition>> applied = new ArrayList<>();
    for (CustomResourceDefinition wanted : CrdManifests.all()) {
      Resource<CustomResourceDefinition> resource =
          client.apiextensions().v1().customResourceDefinitions().resource(wanted);
      CustomResourceDefinition live = resource.get();
      if (live != null && CrdDecision.isNewer(live, wanted)) {
        LOG.info(
            "Left {}: the cluster has that of a newer version", wanted.getMetadata().getName());
        continue;
      }
      if (live != null) {
        CrdDecision.refusal(live, wanted)
            .ifPresent(
                why -> {
                  throw new RefusedException(why);
                });
      }
      applied.add(resource);
    }
    for (Resource<CustomResourceDefinition> resource : applied) {
      // Whoever applied the last one, Helm or a person, is the manager of its fields.
      CustomResourceDefinition crd =
          resource.fieldManager(FIELD_MANAGER).forceConflicts().serverSideApply();
      LOG.info("Applied {}", crd.getMetadata().getName());
    }
  }
}
