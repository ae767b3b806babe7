package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a run's reconciler sees of the cluster, and what makes it look again. */
interface RunResources {
  /** What makes it look again. */
  List<EventSource<?, AnalyticsRun>> prepare(EventSourceContext<AnalyticsRun> context);

  /** All run Pods of all run namespaces that the cache has. */
  Collection<Pod> pods();

  /** The run's Pod. */
  Optional<Pod> pod(AnalyticsRun run);

  /** The class that a run names; absent where there is none. */
  @Nullable RunClass runClass(AnalyticsRun run);

  /** All classes that the cache has. */
  Collection<RunClass> runClasses();

  /** The UIDs of all runs of a namespace that the cache has. */
  Set<String> runUids(String namespace);

  /** Whether the cache has a run that has not ended. */
  boolean isOpen(AnalyticsRun run);

  /** The runs of a namespace that wait for room for their Pods, as their statuses tell. */
  List<AnalyticsRun> waitingForRoom(String namespace);

  /** Tells the namespace of each Pod that has ended or is being deleted; to be set at first. */
  void onPodEnded(Consumer<String> namespace);

  /** A Pod was made, which a cache may not show yet. */
  void podMade(Pod pod);

  /** A run was written, which a cache may show as it was before. */
  void runWritten(AnalyticsRun before, AnalyticsRun after);

  /** A dataset of the run's namespace as it is now, and not as a cache may still show it. */
  Optional<Dataset> dataset(AnalyticsRun run, String name);

  /** Makes the reconciler look at a run although nothing has changed. */
  void reconcileAgain(AnalyticsRun run);
}
