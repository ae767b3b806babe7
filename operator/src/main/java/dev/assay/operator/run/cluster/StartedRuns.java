package dev.assay.operator.run.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the runs of a class that have their Pods and have not ended, from indexes of the caches:
 * they are looked for each time that a run wants a slot, and most cached runs have ended.
 */
final class StartedRuns {
  private StartedRuns() {}

  /** The key of a class in a namespace; neither name can have a slash. */
  static String key(String namespace, String className) {
    return namespace + "/" + className;
  }

  /** The keys of a run in the index of those that are bound and have not ended. */
  static List<String> keysOf(AnalyticsRun run) {
    return RunState.isFinal(run) || !RunState.isBound(run)
        ? List.of()
        : ClassChoice.settled(run, Optional.empty())
            .map(name -> List.of(key(run.getMetadata().getNamespace(), name)))
            .orElse(List.of());
  }

  /** The keys of a Pod in the index of those that have a run; it may have ended. */
  static List<String> keysOf(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    if (labels == null || !labels.containsKey(Labels.RUN_UID)) {
      return List.of();
    }
    return Optional.ofNullable(labels.get(Labels.RUN_CLASS))
        .map(name -> List.of(key(pod.getMetadata().getNamespace(), name)))
        .orElse(List.of());
  }

  /**
   * The UIDs of the runs of a class.
   *
   * @param bound those that the index of runs has for its key
   * @param pods those that the index of Pods has for its key
   * @param runOf the cached run of a Pod
   * @param podOf the cached Pod of a run
   */
  static Set<String> uids(
      String className,
      Collection<AnalyticsRun> bound,
      Collection<Pod> pods,
      Function<Pod, Optional<AnalyticsRun>> runOf,
      Function<AnalyticsRun, Optional<Pod>> podOf) {
    // A run that is not bound yet, or that does not name its class, is found by its Pod.
    Stream<AnalyticsRun> withPod = pods.stream().map(runOf).flatMap(Optional::stream);
    return Stream.concat(bound.stream(), withPod)
        .filter(run -> isStarted(run, className, () -> podOf.apply(run)))
        .map(run -> run.getMetadata().getUid())
        .collect(Collectors.toSet());
  }

  /**
   * Whether a run of the class has its Pod and has not ended, whoever has started it.
   *
   * @param pod finds its Pod
   */
  static boolean isStarted(AnalyticsRun run, String className, Supplier<Optional<Pod>> pod) {
    if (RunState.isFinal(run)) {
      return false;
    }
    Optional<Pod> found = pod.get();
    return (RunState.isBound(run) || found.isPresent())
        && ClassChoice.settled(run, found).filter(className::equals).isPresent();
  }
}
