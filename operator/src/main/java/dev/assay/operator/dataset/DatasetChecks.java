package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.SourceVolume;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides whether a snapshot of a dataset can be created: an ordered list of checks. */
final class DatasetChecks {
  /** Volumes that a message names. */
  private static final int MAX_VOLUMES = 20;

  private DatasetChecks() {}

  /** Why it cannot be created; empty if it can. */
  static Optional<String> refusal(
      Dataset dataset, RunNamespace namespace, @Nullable RunClass runClass) {
    String className = dataset.getSpec().className();
    if (runClass == null
        || !runClass.getSpec().allows(namespace.name())
        || runClass.getSpec().purpose() != RunClassSpec.Purpose.Snapshot) {
      return Optional.of("There is no class '" + className + "' for snapshots in this namespace");
    }
    DatasetSource source = dataset.getSpec().source();
    if (source.inline() != null) {
      return Optional.empty();
    }
    if (source.upload() != null) {
      long max = runClass.getSpec().sourceLimits().maxBytes();
      return source.upload().bytes() <= max
          ? Optional.empty()
          : Optional.of("Class '" + className + "' limits uploads to " + max + " bytes");
    }
    if (source.volume() == null) {
      return Optional.of("spec.source must have inline, upload or volume");
    }
    return namespace.sourceVolume(source.volume().name()).isPresent()
        ? Optional.empty()
        : Optional.of(noVolume(source.volume().name(), namespace));
  }

  private static String noVolume(String name, RunNamespace namespace) {
    List<SourceVolume> volumes = namespace.sourceVolumes();
    List<String> declared =
        volumes == null ? List.of() : volumes.stream().map(SourceVolume::name).toList();
    return "No volume '"
        + name
        + "' is declared for this namespace; "
        + (declared.isEmpty()
            ? "none is"
            : "the declared ones are: "
                + String.join(", ", declared.subList(0, Math.min(MAX_VOLUMES, declared.size())))
                + (declared.size() > MAX_VOLUMES ? ", …" : ""));
  }
}
