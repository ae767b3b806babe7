package dev.assay.operator.kubernetes;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Who waits for Pods of runs or datasets for which the scheduler found no node. Nodes serve Pods of
 * all classes, so callers take turns across classes.
 */
public final class UnschedulablePods {
  private final List<Function<String, Stream<String>>> sources = new CopyOnWriteArrayList<>();

  /**
   * Adds a kind of Pods.
   *
   * @param callers of the unschedulable ones of a namespace
   */
  public void addSource(Function<String, Stream<String>> callers) {
    sources.add(callers);
  }

  /** Whether no node was found for a Pod of another caller of the namespace. */
  public boolean hasOtherCallers(String namespace, String caller) {
    return sources.stream()
        .flatMap(source -> source.apply(namespace))
        .anyMatch(other -> !other.equals(caller));
  }
}
