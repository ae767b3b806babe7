package dev.assay.operator.kubernetes;

import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Who waits for Pods of runs or datasets for which the scheduler found no node. Nodes serve Pods of
 * all classes, so callers take turns across classes.
 */
public final class UnschedulablePods {
  private final Clock clock;
  private final List<Function<String, Stream<CallersPod>>> sources = new CopyOnWriteArrayList<>();
  private volatile Consumer<String> found = namespace -> {};

  /** A Pod and the caller of the run or dataset that owns it. */
  public record CallersPod(Pod pod, String caller) {}

  /** No source yet. */
  public UnschedulablePods(Clock clock) {
    this.clock = clock;
  }

  /**
   * Adds a kind of Pods.
   *
   * @param pods the unschedulable ones of a namespace
   */
  public void addSource(Function<String, Stream<CallersPod>> pods) {
    sources.add(pods);
  }

  /** Sets the callback for the namespace of each Pod of a dataset that is found unschedulable. */
  public void onFound(Consumer<String> namespace) {
    found = namespace;
  }

  /** A Pod of a dataset is unschedulable. */
  public void found(String namespace) {
    found.accept(namespace);
  }

  /** The unschedulable Pods of a namespace. */
  public List<CallersPod> of(String namespace) {
    return sources.stream().flatMap(source -> source.apply(namespace)).toList();
  }

  /**
   * Whether no node was found for a Pod of another caller. One of another class, whose nodes may be
   * others, counts for a minute.
   *
   * @param pods the unschedulable ones of the namespace
   */
  public boolean hasOtherCallers(List<CallersPod> pods, String className, String caller) {
    Instant since = clock.instant().minus(PodState.FITS_WITHIN);
    return pods.stream()
        .filter(one -> !one.caller.equals(caller))
        .anyMatch(
            one ->
                className.equals(one.pod.getMetadata().getLabels().get(Labels.RUN_CLASS))
                    || PodState.created(one.pod).isAfter(since));
  }
}
