package dev.assay.operator.run.cluster;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.kubernetes.PodOwners;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.status.ClassChoice;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.dependent.RecentOperationCacheFiller;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a run, from informer caches; its datasets from the API server, too. Absence in a
 * cache does not mean absence in the cluster.
 */
public final class RunInformers implements RunResources {
  /** Pods of runs, and those that wait for one. */
  private static final String POD_SELECTOR =
      "%s,!%s,!%s".formatted(Labels.RUNNER_POD, Labels.DATASET_UID, Labels.SNAPSHOT_CLEANUP);

  /** The runs that are bound to a warm Pod, by its UID. */
  private static final String BY_WARM_POD = "warm-pod";

  /** The runs that are bound, and the Pods that have a run, by namespace and class. */
  private static final String STARTED = "started";

  private final KubernetesClient client;
  private final PodOwners owners = new PodOwners(AnalyticsRun.class);
  private volatile Consumer<Pod> podChanged = pod -> {};
  private final SimpleInboundEventSource<AnalyticsRun> again = new SimpleInboundEventSource<>();
  private @Nullable RecentOperationCacheFiller<AnalyticsRun> runs;
  private volatile @Nullable IndexerResourceCache<AnalyticsRun> primary;
  private @Nullable InformerEventSource<Pod, AnalyticsRun> pods;
  private @Nullable InformerEventSource<Dataset, AnalyticsRun> datasets;
  private @Nullable InformerEventSource<RunClass, AnalyticsRun> classes;

  public RunInformers(KubernetesClient client) {
    this.client = client;
  }

  @Override
  @SuppressWarnings("unchecked") // The cache of runs is declared read-only.
  public List<EventSource<?, AnalyticsRun>> prepare(EventSourceContext<AnalyticsRun> context) {
    runs = (RecentOperationCacheFiller<AnalyticsRun>) context.getPrimaryCache();
    IndexerResourceCache<AnalyticsRun> cache = context.getPrimaryCache();
    cache.addIndexer(BY_WARM_POD, RunInformers::warmPod);
    cache.addIndexer(STARTED, StartedRuns::keysOf);
    primary = cache;
    pods =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, AnalyticsRun.class)
                .withLabelSelector(POD_SELECTOR)
                .withNamespacesInheritedFromController()
                .withSecondaryToPrimaryMapper(this::ownersOfChanged)
                .withInformerListLimit(Pages.SIZE)
                .build(),
            context);
    pods.addIndexer(STARTED, StartedRuns::keysOf);
    datasets =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Dataset.class, AnalyticsRun.class)
                .withNamespacesInheritedFromController()
                .withSecondaryToPrimaryMapper(dataset -> waitingFor(dataset, context))
                .withPrimaryToSecondaryMapper((AnalyticsRun run) -> datasetIds(run))
                .withInformerListLimit(Pages.SIZE)
                .build(),
            context);
    classes =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(RunClass.class, AnalyticsRun.class)
                .withSecondaryToPrimaryMapper(runClass -> Set.of())
                .withPrimaryToSecondaryMapper(
                    (AnalyticsRun run) ->
                        ClassChoice.settled(run, Optional.empty())
                            .map(name -> Set.of(new ResourceID(name)))
                            .orElse(Set.of()))
                .withWatchAllNamespaces()
                // Else one informer for each namespace would replace that of the cluster.
                .withFollowControllerNamespacesChanges(false)
                .withInformerListLimit(Pages.SIZE)
                .build(),
            context);
    return List.of(pods, datasets, classes, again);
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return requireNonNull(pods).get(new ResourceID(name, namespace));
  }

  @Override
  public Collection<Pod> pods() {
    return requireNonNull(pods).list().toList();
  }

  @Override
  public Collection<AnalyticsRun> runs(String namespace) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    return cache == null ? List.of() : cache.list(namespace, run -> true).toList();
  }

  @Override
  public Set<String> runUids(String namespace) {
    return uids(namespace, run -> true);
  }

  @Override
  public Set<String> unfinishedRunUids(String namespace) {
    return uids(namespace, run -> !RunState.isFinal(run) || !run.understood());
  }

  @Override
  public Set<String> startedRunUids(String namespace, String className) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    String key = StartedRuns.key(namespace, className);
    return cache == null
        ? Set.of()
        : StartedRuns.uids(
            className,
            cache.byIndex(STARTED, key),
            requireNonNull(pods).byIndex(STARTED, key),
            this::runOf,
            run -> PodOfRun.find(run, name -> pod(namespace, name)));
  }

  @Override
  public Collection<Pod> podsOfRuns(String namespace, String className) {
    return requireNonNull(pods).byIndex(STARTED, StartedRuns.key(namespace, className));
  }

  @Override
  public Optional<AnalyticsRun> runOf(Pod pod) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    if (cache == null) {
      return Optional.empty();
    }
    return PodOwners.owner(pod, Labels.RUN_UID, cache::get);
  }

  @Override
  public Set<String> reusableRunUids(String namespace) {
    return uids(namespace, run -> RunState.statusOf(run).cacheKey() != null && run.understood());
  }

  private Set<String> uids(String namespace, Predicate<AnalyticsRun> wanted) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    return cache == null
        ? Set.of()
        : cache
            .list(namespace, wanted)
            .map(run -> run.getMetadata().getUid())
            .collect(Collectors.toSet());
  }

  @Override
  public Set<String> bound(Collection<Pod> warmPods) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    return cache == null
        ? Set.of()
        : warmPods.stream()
            .map(pod -> pod.getMetadata().getUid())
            .filter(uid -> !cache.byIndex(BY_WARM_POD, uid).isEmpty())
            .collect(Collectors.toSet());
  }

  private static List<String> warmPod(AnalyticsRun run) {
    return Optional.ofNullable(RunState.statusOf(run).pod())
        .filter(BoundPod::warm)
        .map(BoundPod::uid)
        .map(List::of)
        .orElse(List.of());
  }

  @Override
  public boolean isActive(AnalyticsRun run) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    return cache != null
        && cache
            .get(ResourceID.fromResource(run))
            .filter(found -> found.getMetadata().getUid().equals(run.getMetadata().getUid()))
            .filter(RunState::isActive)
            .isPresent();
  }

  @Override
  public List<AnalyticsRun> waitingForRoom(String namespace) {
    IndexerResourceCache<AnalyticsRun> cache = primary;
    return cache == null
        ? List.of()
        : cache
            .list(namespace, RunState::waitsForRoom)
            .filter(run -> PodOfRun.find(run, name -> pod(namespace, name)).isEmpty())
            .toList();
  }

  @Override
  public void onPodEnded(Consumer<String> namespace) {
    owners.onPodEnded(namespace);
  }

  @Override
  public void onPodChanged(Consumer<Pod> pod) {
    podChanged = pod;
  }

  /** Called for each Pod that the informer reports, once its cache has it. */
  private Set<ResourceID> ownersOfChanged(Pod pod) {
    podChanged.accept(pod);
    return owners.toPrimaryResourceIDs(pod);
  }

  @Override
  public void podCreated(Pod pod) {
    requireNonNull(pods).handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  @Override
  public void runWritten(AnalyticsRun before, AnalyticsRun after) {
    requireNonNull(runs).handleRecentResourceUpdate(ResourceID.fromResource(after), after, before);
  }

  @Override
  public @Nullable RunClass runClass(AnalyticsRun run) {
    String namespace = run.getMetadata().getNamespace();
    return ClassChoice.of(
        run,
        PodOfRun.find(run, name -> pod(namespace, name)),
        this::runClass,
        () ->
            ClassChoice.defaultFor(run, runClasses())
                .or(() -> ClassChoice.defaultFor(run, listed())));
  }

  private @Nullable RunClass runClass(String name) {
    return requireNonNull(classes)
        .get(new ResourceID(name))
        .orElseGet(() -> client.resources(RunClass.class).withName(name).get());
  }

  private Collection<RunClass> listed() {
    return Pages.all(client.resources(RunClass.class));
  }

  @Override
  public Collection<RunClass> runClasses() {
    return requireNonNull(classes).list().toList();
  }

  @Override
  public Optional<Dataset> cachedDataset(AnalyticsRun run, String name) {
    return requireNonNull(datasets).get(new ResourceID(name, run.getMetadata().getNamespace()));
  }

  @Override
  public Optional<Dataset> dataset(AnalyticsRun run, String name) {
    // Watches are not ordered: the creator of the run may know a newer snapshot than the cache.
    return Optional.ofNullable(
        client
            .resources(Dataset.class)
            .inNamespace(run.getMetadata().getNamespace())
            .withName(name)
            .get());
  }

  @Override
  public Optional<AnalyticsRun> run(AnalyticsRun run, String name) {
    return new WholeObjects(client).sibling(run, name);
  }

  @Override
  public void reconcileAgain(AnalyticsRun run) {
    again.propagateEvent(ResourceID.fromResource(run));
  }

  private static Set<ResourceID> waitingFor(
      Dataset dataset, EventSourceContext<AnalyticsRun> context) {
    return context
        .getPrimaryCache()
        .list(
            dataset.getMetadata().getNamespace(),
            run ->
                !RunState.isFinal(run)
                    && run.getSpec().datasetNames().contains(dataset.getMetadata().getName()))
        .map(ResourceID::fromResource)
        .collect(Collectors.toSet());
  }

  private static Set<ResourceID> datasetIds(AnalyticsRun run) {
    return run.getSpec().datasetNames().stream()
        .map(name -> new ResourceID(name, run.getMetadata().getNamespace()))
        .collect(Collectors.toSet());
  }
}
