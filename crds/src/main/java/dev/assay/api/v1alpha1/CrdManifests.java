package dev.assay.api.v1alpha1;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The CRDs of this version. */
public final class CrdManifests {
  /** The annotation that counts the changes of a CRD; absent in CRDs of versions before it. */
  public static final String REVISION = "assay.dev/crd-revision";

  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(AnalyticsRun.class, Dataset.class, RunClass.class, ToolServer.class);

  private CrdManifests() {}

  /** All of them. */
  public static List<CustomResourceDefinition> all() {
    return KINDS.stream().map(CrdManifests::read).toList();
  }

  /** The revision of a CRD: of two versions, the newer one has the higher. */
  public static int revision(CustomResourceDefinition crd) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(crd.getMetadata().getAnnotations(), Map.of());
    String revision = annotations.getOrDefault(REVISION, "");
    return revision.matches("[0-9]{1,9}") ? Integer.parseInt(revision) : 0;
  }

  private static CustomResourceDefinition read(Class<? extends HasMetadata> kind) {
    String path = "/dev/assay/api/crds/" + HasMetadata.getFullResourceName(kind) + ".yaml";
    try (InputStream crd = CrdManifests.class.getResourceAsStream(path)) {
      if (crd == null) {
        throw new IllegalStateException(path + " is missing on the class path");
      }
      return Serialization.unmarshal(crd, CustomResourceDefinition.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
