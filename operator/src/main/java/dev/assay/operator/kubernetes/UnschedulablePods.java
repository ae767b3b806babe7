package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The Pods of runs and datasets for which the scheduler found no node, by the caller who waits for
 * them. Nodes serve Pods of all classes, so callers take turns across classes.
 */
public final class UnschedulablePods {
  private final List<Supplier<Stream<CallersPod>>> kinds = new CopyOnWriteArrayList<>();

  /** A Pod and the caller of the run or dataset that owns it. */
  public record CallersPod(Pod pod, String caller) {}

  /** Adds the unschedulable Pods of a kind of objects. */
  public void add(Supplier<Stream<CallersPod>> pods) {
    kinds.add(pods);
  }

  /** Whether no node was found for a Pod of another caller of the namespace. */
  public boolean areOfOthers(String namespace, String caller) {
    return kinds.stream()
        .flatMap(Supplier::get)
        .anyMatch(
            one ->
                one.pod.getMetadata().getNamespace().equals(namespace)
                    && !one.caller.equals(caller));
  }
}
