package dev.assay.operator.run.admission;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunInputs;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.tool.RunToolPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a run gets a Pod: an ordered list of checks of the run, its class and its
 * datasets.
 */
public final class RunAdmission {
  /** How many classes a message names. */
  private static final int MAX_CLASSES = 5;

  private RunAdmission() {}

  /** The decision about a run that has no Pod yet. */
  public sealed interface Decision {}

  /**
   * The run gets a Pod.
   *
   * @param snapshots the pinned snapshots, in the order of its datasets
   * @param inputs the artifacts that it reads
   * @param limits its limits
   */
  public record Admitted(List<PinnedSnapshot> snapshots, List<PinnedInput> inputs, RunLimits limits)
      implements Decision {}

  /** The run waits for a dataset. */
  public record WaitForDataset(String message) implements Decision {}

  /** The run is refused permanently. */
  public record Refused(RunReason reason, String message) implements Decision {}

  /**
   * Decides about a run that has no Pod yet.
   *
   * @param runClass the class that the run names or is given, if it exists
   * @param datasets looks up a dataset in the run's namespace
   * @param runs looks up a run in the same namespace, complete
   * @param classes all known classes, one of which may be suggested
   */
  public static Decision decide(
      AnalyticsRun run,
      @Nullable RunClass runClass,
      Function<String, Optional<Dataset>> datasets,
      Function<String, Optional<AnalyticsRun>> runs,
      Supplier<Collection<RunClass>> classes) {
    AnalyticsRunSpec spec = run.getSpec();
    Optional<Refused> refused = refusal(run, runClass, classes).or(() -> checkProgram(run, runs));
    if (refused.isPresent()) {
      return refused.get();
    }
    RunClass found = requireNonNull(runClass);
    List<PinnedInput> inputs = List.of();
    switch (RunInputs.resolve(spec, runs)) {
      case RunInputs.Resolution.Resolved resolved -> inputs = resolved.inputs();
      case RunInputs.Resolution.Missing missing -> {
        return new Refused(RunReason.ArtifactNotFound, missing.message());
      }
    }
    Optional<String> problem =
        ProgramChecks.problem(
            spec,
            inputs,
            found.getSpec().artifactLimits().limitBytes(),
            found.getMetadata().getName());
    if (problem.isPresent()) {
      return invalid(problem.get());
    }
    List<PinnedSnapshot> snapshots = new ArrayList<>();
    List<Dataset> loaded = new ArrayList<>();
    for (String name : spec.datasetNames()) {
      Optional<Dataset> dataset = datasets.apply(name);
      if (dataset.isEmpty()) {
        return new Refused(
            RunReason.DatasetNotFound,
            "Dataset '" + name + "' does not exist in this namespace; load it first");
      }
      DatasetStatus status = dataset.get().getStatus();
      Snapshot snapshot = status == null ? null : status.snapshot();
      if (snapshot == null) {
        return hasFailed(dataset.get(), status)
            ? new Refused(
                RunReason.DatasetNotFound,
                "Dataset '" + name + "' could not be loaded: " + requireNonNull(status).message())
            : new WaitForDataset("Dataset '" + name + "' is not ready yet");
      }
      snapshots.add(PinnedSnapshot.of(dataset.get()).orElseThrow());
      loaded.add(dataset.get());
    }
    Optional<String> conflict = TableNames.conflict(spec, snapshots);
    if (conflict.isPresent()) {
      return invalid(conflict.get());
    }
    Optional<String> tooSmall = RunMemory.refusal(run, found, loaded, classes);
    return tooSmall.isPresent()
        ? new Refused(RunReason.ClassTooSmall, tooSmall.get())
        : new Admitted(List.copyOf(snapshots), inputs, RunLimits.of(spec, found.getSpec()));
  }

  /** The cache has no texts, and only with files can they be too long together. */
  private static Optional<Refused> checkProgram(
      AnalyticsRun run, Function<String, Optional<AnalyticsRun>> runs) {
    AnalyticsRunSpec spec = run.getSpec();
    if (!spec.fileList().isEmpty()) {
      spec = runs.apply(run.getMetadata().getName()).orElse(run).getSpec();
    }
    return ProgramChecks.problem(spec).map(RunAdmission::invalid);
  }

  /**
   * Whether the current generation of the dataset failed: the failure of an earlier one may be
   * fixed.
   */
  private static boolean hasFailed(Dataset dataset, @Nullable DatasetStatus status) {
    return status != null
        && status.phase() == DatasetPhase.Failed
        && dataset.getMetadata().getGeneration().equals(status.observedGeneration());
  }

  /**
   * Why a run is refused because of its spec or class. For a run that has its Pod nothing else is
   * checked: it reads the snapshots that the Pod mounts, even if their datasets change.
   */
  public static Optional<Refused> refusal(
      AnalyticsRun run, @Nullable RunClass runClass, Supplier<Collection<RunClass>> classes) {
    return checkClass(run, runClass, classes).or(() -> checkSpec(run.getSpec(), runClass));
  }

  private static Optional<Refused> checkClass(
      AnalyticsRun run, @Nullable RunClass runClass, Supplier<Collection<RunClass>> classes) {
    Optional<String> name = ClassChoice.settled(run, Optional.empty());
    String language = run.getSpec().language().wireName();
    if (runClass == null && name.isEmpty()) {
      return Optional.of(
          new Refused(
              RunReason.ClassNotAllowed,
              "spec.className is missing, and no class is the default for "
                  + language
                  + " in this namespace"
                  + advice(run, classes)));
    }
    if (runClass == null
        || !runClass.getSpec().allows(run.getMetadata().getNamespace())
        || runClass.getSpec().purpose() != RunClassSpec.Purpose.Run) {
      // One message for all three, so that a tenant learns nothing about classes of others.
      return Optional.of(
          new Refused(
              RunReason.ClassNotAllowed,
              "There is no class '" + name.orElse("") + "' for runs in this namespace"));
    }
    if (!runClass.getSpec().offers(run.getSpec().language())) {
      return Optional.of(
          new Refused(
              RunReason.InvalidSpec,
              "Class '"
                  + runClass.getMetadata().getName()
                  + "' does not run "
                  + language
                  + advice(run, classes)));
    }
    return Optional.empty();
  }

  private static String advice(AnalyticsRun run, Supplier<Collection<RunClass>> classes) {
    List<String> offering = ClassChoice.offering(run, classes.get());
    return offering.isEmpty()
        ? "; no class of this namespace runs it: ask the platform team for one"
        : offering.stream()
            .limit(MAX_CLASSES)
            .collect(Collectors.joining("' or '", ": use class '", "'"));
  }

  private static Optional<Refused> checkSpec(AnalyticsRunSpec spec, @Nullable RunClass runClass) {
    RunClass found = requireNonNull(runClass);
    int maxSeconds = found.getSpec().timeouts().maxSeconds();
    Optional<Duration> requested = RunLimits.requested(spec);
    if (requested.isPresent() && requested.get().compareTo(Duration.ofSeconds(maxSeconds)) > 0) {
      boolean inMillis = spec.timeoutMillis() != null;
      return Optional.of(
          invalid(
              "spec.%s is %d, and class '%s' allows at most %d"
                  .formatted(
                      inMillis ? "timeoutMillis" : "timeoutSeconds",
                      inMillis ? requested.get().toMillis() : requested.get().toSeconds(),
                      found.getMetadata().getName(),
                      inMillis ? 1000L * maxSeconds : maxSeconds)));
    }
    Optional<String> noTools =
        RunToolPolicy.refusal(spec, found.getSpec(), found.getMetadata().getName());
    if (noTools.isPresent()) {
      return noTools.map(RunAdmission::invalid);
    }
    if (new HashSet<>(spec.datasetNames()).size() != spec.datasetNames().size()) {
      return Optional.of(invalid("spec.datasets names a dataset twice"));
    }
    return Optional.empty();
  }

  private static Refused invalid(String message) {
    return new Refused(RunReason.InvalidSpec, message);
  }
}
