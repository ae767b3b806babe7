package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a dataset's reconciler sees of the cluster, and what makes it look again. */
interface DatasetResources {
  /** What makes it look again. */
  List<EventSource<?, Dataset>> prepare(EventSourceContext<Dataset> context);

  /** All Pods that were made for a dataset. */
  List<Pod> pods(Dataset dataset);

  /** The Pod of a name in the dataset's namespace. */
  Optional<Pod> pod(Dataset dataset, String name);

  /** Whether the cache has a dataset whose newest generation has not been dealt with. */
  boolean isOpen(Dataset dataset);

  /** Tells the namespace of each Pod that has ended or is being deleted; to be set at first. */
  void onPodEnded(Consumer<String> namespace);

  /** A Pod was made, which a cache may not show yet. */
  void podMade(Pod pod);

  /** The class that a dataset names; absent where there is none. */
  @Nullable RunClass runClass(Dataset dataset);

  /** Makes the reconciler look at a dataset although nothing has changed. */
  void reconcileAgain(Dataset dataset);
}
