package dev.assay.operator.run.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.pool.PoolResources;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The run reconciler's view of the cluster, and its event sources. */
public interface RunResources extends PoolResources {
  /** Creates the event sources. */
  List<EventSource<?, AnalyticsRun>> prepare(EventSourceContext<AnalyticsRun> context);

  /** The cached Pod with this name. */
  Optional<Pod> pod(String namespace, String name);

  /**
   * The class that a run names or was given, otherwise the default for its language; absent if it
   * does not exist.
   */
  @Nullable RunClass runClass(AnalyticsRun run);

  /** All cached runs of a namespace. */
  Collection<AnalyticsRun> runs(String namespace);

  /** The callers of the cached runs of a namespace, by the UIDs of runs; empty for others. */
  default Function<String, String> callers(String namespace) {
    Map<String, String> byUid =
        runs(namespace).stream()
            .collect(Collectors.toMap(run -> run.getMetadata().getUid(), RunState::caller));
    return uid -> byUid.getOrDefault(uid, "");
  }

  /** The UIDs of all cached runs of a namespace. */
  Set<String> runUids(String namespace);

  /** The UIDs of the cached runs of a namespace that have not ended. */
  Set<String> unfinishedRunUids(String namespace);

  /**
   * The UIDs of the cached runs of a namespace and class that have their Pods and have not ended.
   */
  Set<String> startedRunUids(String namespace, String className);

  /** The cached Pods of the runs of a namespace and class; some may have ended. */
  Collection<Pod> podsOfRuns(String namespace, String className);

  /** The cached run that owns a Pod; empty if the Pod only says so by its labels. */
  Optional<AnalyticsRun> runOf(Pod pod);

  /** The UIDs of the cached runs of a namespace whose values are cached results. */
  Set<String> reusableRunUids(String namespace);

  /** Whether the run is in the cache, has not ended, and is not marked for deletion. */
  boolean isActive(AnalyticsRun run);

  /** The runs of a namespace that wait for room in a quota, according to their statuses. */
  List<AnalyticsRun> waitingForRoom(String namespace);

  /**
   * Sets the callback for the namespace of each Pod that has terminated or is being deleted; must
   * be called first.
   */
  void onPodEnded(Consumer<String> namespace);

  /**
   * Sets the callback for each Pod that has changed; must be called first. Only a Pod that a run
   * owns triggers a reconcile of the run.
   */
  void onPodChanged(Consumer<Pod> pod);

  /** Adds a written run, which the cache may have in its previous version. */
  void runWritten(AnalyticsRun before, AnalyticsRun after);

  /** The cached dataset of the run's namespace, which may be stale. */
  Optional<Dataset> cachedDataset(AnalyticsRun run, String name);

  /** Reads a dataset of the run's namespace from the API server, because a cache may be stale. */
  Optional<Dataset> dataset(AnalyticsRun run, String name);

  /** Reads a complete run of the run's namespace from the API server. */
  Optional<AnalyticsRun> run(AnalyticsRun run, String name);

  /** Triggers a reconcile of a run although nothing has changed. */
  void reconcileAgain(AnalyticsRun run);
}
