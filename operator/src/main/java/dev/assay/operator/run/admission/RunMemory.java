package dev.assay.operator.run.admission;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Checks whether a class has enough memory to load a run's datasets. What the code needs beyond
 * that is unknown.
 */
final class RunMemory {
  private static final double MIB = 1024 * 1024;

  private RunMemory() {}

  /**
   * Why the datasets cannot be loaded; empty if they can, or if their memory is unknown.
   *
   * @param classes all classes; the message names one that fits, if there is one
   */
  static Optional<String> refusal(
      AnalyticsRun run,
      RunClass runClass,
      List<Dataset> datasets,
      Supplier<Collection<RunClass>> classes) {
    Language language = run.getSpec().language();
    Program program = Program.of(language);
    boolean loads = program.loadsDatasets() && !datasets.isEmpty();
    long wanted = program.memoryBytes() + (loads ? peakBytes(datasets) : 0);
    if (wanted <= bytes(runClass.getSpec())) {
      return Optional.empty();
    }
    return Optional.of(
        (loads
                ? "Loading "
                    + String.join(", ", run.getSpec().datasetNames())
                    + " takes "
                    + mebibytes(wanted)
                    + " with Python itself"
                : "Running " + language.wireName() + " takes " + mebibytes(wanted))
            + ", and class '"
            + runClass.getMetadata().getName()
            + "' has "
            + mebibytes(bytes(runClass.getSpec()))
            + advice(run, wanted, classes));
  }

  private static long peakBytes(List<Dataset> datasets) {
    long bytes = 0;
    for (Dataset dataset : datasets) {
      Snapshot snapshot = dataset.getStatus().snapshot();
      bytes +=
          snapshot == null || snapshot.peakMemoryBytes() == null ? 0 : snapshot.peakMemoryBytes();
    }
    return bytes;
  }

  private static String advice(
      AnalyticsRun run, long wanted, Supplier<Collection<RunClass>> classes) {
    return classes.get().stream()
        .filter(found -> found.getSpec().purpose() == RunClassSpec.Purpose.Run)
        .filter(found -> found.getSpec().allows(run.getMetadata().getNamespace()))
        .filter(found -> found.getSpec().offers(run.getSpec().language()))
        .filter(found -> bytes(found.getSpec()) >= wanted)
        .min(Comparator.comparingLong(found -> bytes(found.getSpec())))
        .map(found -> ": use class '" + found.getMetadata().getName() + "'")
        .orElse("; no class of this namespace has enough: ask the platform team for one");
  }

  private static long bytes(RunClassSpec runClass) {
    BigDecimal bytes = Quantity.getAmountInBytes(new Quantity(runClass.resources().memory()));
    return bytes.longValue();
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.0f MiB", bytes / MIB);
  }
}
