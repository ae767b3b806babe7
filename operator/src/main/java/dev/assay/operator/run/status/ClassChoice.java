package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which class a run has: the one that it names, or the default for its language. */
public final class ClassChoice {
  private ClassChoice() {}

  /**
   * The name of the class that a run has. What its Pod or its status names stays, even if another
   * class becomes the default.
   *
   * @return empty if the run names none and was not given one yet
   */
  public static Optional<String> settled(AnalyticsRun run, Optional<Pod> pod) {
    return Stream.of(
            Optional.ofNullable(run.getSpec().className()),
            pod.map(ClassChoice::classOf),
            Optional.ofNullable(RunState.statusOf(run).className()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * The class of a run. One that is named and does not exist is none, and not the default.
   *
   * @param named the class of a name; null if there is none
   * @param byLanguage the default class
   */
  public static @Nullable RunClass of(
      AnalyticsRun run,
      Optional<Pod> pod,
      Function<String, @Nullable RunClass> named,
      Supplier<Optional<RunClass>> byLanguage) {
    Optional<String> name = settled(run, pod);
    return name.isPresent() ? named.apply(name.get()) : byLanguage.get().orElse(null);
  }

  /** The name of the class that a Pod was created from. */
  private static @Nullable String classOf(Pod pod) {
    return pod.getMetadata().getLabels() == null
        ? null
        : pod.getMetadata().getLabels().get(Labels.RUN_CLASS);
  }

  /** The default class for a run's language; of several the newest, as with StorageClasses. */
  public static Optional<RunClass> defaultFor(AnalyticsRun run, Collection<RunClass> classes) {
    Language language = run.getSpec().language();
    return usable(run, classes)
        .filter(found -> found.getSpec().isDefaultFor(language))
        .max(
            Comparator.comparing(
                    (RunClass found) -> found.getMetadata().getCreationTimestamp(),
                    Comparator.nullsFirst(Comparator.naturalOrder()))
                .thenComparing(ClassChoice::name, Comparator.reverseOrder()));
  }

  /** The names of the classes that run a run's language in its namespace. */
  public static List<String> offering(AnalyticsRun run, Collection<RunClass> classes) {
    return usable(run, classes)
        .filter(found -> found.getSpec().offers(run.getSpec().language()))
        .map(ClassChoice::name)
        .sorted()
        .toList();
  }

  private static Stream<RunClass> usable(AnalyticsRun run, Collection<RunClass> classes) {
    return classes.stream()
        .filter(found -> found.getSpec().purpose() == Purpose.Run)
        .filter(found -> found.getSpec().allows(run.getMetadata().getNamespace()));
  }

  private static String name(RunClass runClass) {
    return runClass.getMetadata().getName();
  }
}
