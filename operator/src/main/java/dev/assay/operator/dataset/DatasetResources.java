package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The dataset reconciler's view of the cluster, and its event sources. */
interface DatasetResources {
  /** Creates the event sources. */
  List<EventSource<?, Dataset>> prepare(EventSourceContext<Dataset> context);

  /** The cached Pods of all datasets; none before the event sources are created. */
  Collection<Pod> pods();

  /** All cached datasets; none before the event sources are created. */
  Collection<Dataset> datasets();

  /** The cached dataset that owns a Pod; empty if the Pod only says so by its labels. */
  Optional<Dataset> datasetOf(Pod pod);

  /** All Pods that were created for a dataset. */
  List<Pod> pods(Dataset dataset);

  /** The Pod with this name in the dataset's namespace. */
  Optional<Pod> pod(Dataset dataset, String name);

  /**
   * Whether the dataset is in the cache, its current generation is not settled, and it is not
   * marked for deletion.
   */
  boolean isActive(Dataset dataset);

  /**
   * Sets the callback for the namespace of each Pod that has terminated or is being deleted; must
   * be called first.
   */
  void onPodEnded(Consumer<String> namespace);

  /** Adds a created Pod, which the cache may not have yet. */
  void podCreated(Pod pod);

  /** The class that a dataset names; absent if it does not exist. */
  @Nullable RunClass runClass(Dataset dataset);

  /** Triggers a reconcile of a dataset although nothing has changed. */
  void reconcileAgain(Dataset dataset);
}
