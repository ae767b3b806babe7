package dev.assay.operator.dataset;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.kubernetes.PodOwners;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a dataset from informer caches. Absence in a cache does not mean absence in the
 * cluster.
 */
final class DatasetInformers implements DatasetResources {
  private final KubernetesClient client;
  private final PodOwners owners = new PodOwners(Dataset.class);
  private volatile @Nullable IndexerResourceCache<Dataset> datasets;
  private final SimpleInboundEventSource<Dataset> again = new SimpleInboundEventSource<>();
  private volatile @Nullable InformerEventSource<Pod, Dataset> pods;
  private @Nullable InformerEventSource<RunClass, Dataset> classes;

  DatasetInformers(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public List<EventSource<?, Dataset>> prepare(EventSourceContext<Dataset> context) {
    datasets = context.getPrimaryCache();
    pods =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, Dataset.class)
                .withLabelSelector(Labels.DATASET_UID)
                .withNamespacesInheritedFromController()
                .withSecondaryToPrimaryMapper(owners)
                .withInformerListLimit(Pages.SIZE)
                .build(),
            context);
    classes =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(RunClass.class, Dataset.class)
                .withSecondaryToPrimaryMapper(runClass -> Set.of())
                .withPrimaryToSecondaryMapper(
                    (Dataset dataset) -> Set.of(new ResourceID(dataset.getSpec().className())))
                .withWatchAllNamespaces()
                // Else one informer for each namespace would replace that of the cluster.
                .withFollowControllerNamespacesChanges(false)
                .withInformerListLimit(Pages.SIZE)
                .build(),
            context);
    return List.of(pods, classes, again);
  }

  @Override
  public Collection<Pod> pods() {
    InformerEventSource<Pod, Dataset> cache = pods;
    return cache == null ? List.of() : cache.list().toList();
  }

  @Override
  public Collection<Dataset> datasets() {
    IndexerResourceCache<Dataset> cache = datasets;
    return cache == null ? List.of() : cache.list(dataset -> true).toList();
  }

  @Override
  public Optional<Dataset> datasetOf(Pod pod) {
    IndexerResourceCache<Dataset> cache = datasets;
    return cache == null ? Optional.empty() : PodOwners.owner(pod, Labels.DATASET_UID, cache::get);
  }

  @Override
  public List<Pod> pods(Dataset dataset) {
    String uid = dataset.getMetadata().getUid();
    return requireNonNull(pods)
        .list(
            dataset.getMetadata().getNamespace(),
            pod -> uid.equals(pod.getMetadata().getLabels().get(Labels.DATASET_UID)))
        .toList();
  }

  @Override
  public Optional<Pod> pod(Dataset dataset, String name) {
    return requireNonNull(pods).get(new ResourceID(name, dataset.getMetadata().getNamespace()));
  }

  @Override
  public boolean isActive(Dataset dataset) {
    return requireNonNull(datasets)
        .get(ResourceID.fromResource(dataset))
        .filter(found -> found.getMetadata().getUid().equals(dataset.getMetadata().getUid()))
        .filter(DatasetTransitions::isActive)
        .isPresent();
  }

  @Override
  public void onPodEnded(Consumer<String> namespace) {
    owners.onPodEnded(namespace);
  }

  @Override
  public void podCreated(Pod pod) {
    requireNonNull(pods).handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  @Override
  public @Nullable RunClass runClass(Dataset dataset) {
    String name = dataset.getSpec().className();
    return requireNonNull(classes)
        .get(new ResourceID(name))
        .orElseGet(() -> client.resources(RunClass.class).withName(name).get());
  }

  @Override
  public void reconcileAgain(Dataset dataset) {
    again.propagateEvent(ResourceID.fromResource(dataset));
  }
}
