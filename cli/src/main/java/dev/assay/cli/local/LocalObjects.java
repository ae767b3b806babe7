package dev.assay.cli.local;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassOutput;
import dev.assay.api.v1alpha1.RunClassSpec.ClassResources;
import dev.assay.api.v1alpha1.RunClassSpec.ClassScratch;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTimeouts;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects that the chart installs in a cluster, for one machine. */
final class LocalObjects {
  static final String SYSTEM_NAMESPACE = "assay-system";
  static final String RUN_NAMESPACE = "assay-runs";

  /** The image of all Pods; local mode runs the Python environment in its place. */
  static final String IMAGE = "assay/runner:local";

  /** The command of the image that the operator dials. */
  static final List<String> SERVER = List.of("python3", "-I", "-m", "assay_runner.supervisor");

  /** The claim that snapshots are on. */
  static final String SNAPSHOTS = "assay-snapshots";

  /** The volume with the files of a person's folder, and its claim. */
  static final String DATA = "data";

  private static final int OUTPUT_BYTES = 1 << 20;

  private LocalObjects() {}

  static Namespace namespace(String name) {
    return new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  static RunClass runs() {
    return runClass("python", Purpose.Run, List.of(Language.PYTHON), "2Gi", 30);
  }

  static RunClass snapshots() {
    return runClass("snapshot", Purpose.Snapshot, null, "4Gi", 120);
  }

  private static RunClass runClass(
      String name,
      Purpose purpose,
      @Nullable List<Language> languages,
      String memory,
      int defaultSeconds) {
    RunClass runClass = new RunClass();
    runClass.setMetadata(new ObjectMetaBuilder().withName(name).build());
    runClass.setSpec(
        new RunClassSpec(
            purpose,
            List.of(RUN_NAMESPACE),
            IMAGE,
            null,
            null,
            languages,
            new ClassResources("1", memory, null),
            new ClassScratch("256Mi", ClassScratch.Medium.Disk),
            new ClassTimeouts(defaultSeconds, 600, 300),
            new ClassOutput(OUTPUT_BYTES),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null));
    return runClass;
  }

  static Dataset dataset(String resourceName, String displayName, DatasetSource source) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(metadata(resourceName));
    dataset.setSpec(new DatasetSpec(displayName, "snapshot", source));
    return dataset;
  }

  private static ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(RUN_NAMESPACE).build();
  }
}
