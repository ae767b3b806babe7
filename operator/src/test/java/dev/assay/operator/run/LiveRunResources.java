package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.Pages;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The resources of runs as the API server has them, but for the cache of datasets. */
final class LiveRunResources implements RunResources {
  private final KubernetesClient client;
  private final UnaryOperator<Pod> seenAs;
  private final Supplier<Optional<Dataset>> cachedDataset;

  /**
   * The resources of an operator process.
   *
   * @param seenAs how the process sees a Pod
   * @param cachedDataset the dataset of the run as the cache of the process has it
   */
  LiveRunResources(
      KubernetesClient client,
      UnaryOperator<Pod> seenAs,
      Supplier<Optional<Dataset>> cachedDataset) {
    this.client = client;
    this.cachedDataset = cachedDataset;
    this.seenAs = pod -> seenAs.apply(pod.getStatus() == null ? pending(pod) : pod);
  }

  /** A created Pod has a status in a real API server. */
  private static Pod pending(Pod pod) {
    return new PodBuilder(pod).withNewStatus().withPhase("Pending").endStatus().build();
  }

  @Override
  public List<EventSource<?, AnalyticsRun>> prepare(EventSourceContext<AnalyticsRun> context) {
    return List.of();
  }

  @Override
  public Collection<Pod> pods() {
    List<Pod> all = new ArrayList<>();
    Pages.forEach(client.pods().inNamespace(Samples.NAMESPACE), pod -> all.add(seenAs.apply(pod)));
    return all;
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get())
        .map(seenAs);
  }

  @Override
  public Set<String> bound(Collection<Pod> warmPods) {
    return runs().stream()
        .map(run -> RunState.statusOf(run).pod())
        .filter(Objects::nonNull)
        .map(BoundPod::uid)
        .collect(Collectors.toSet());
  }

  private List<AnalyticsRun> runs() {
    return client.resources(AnalyticsRun.class).inNamespace(Samples.NAMESPACE).list().getItems();
  }

  @Override
  public boolean isActive(AnalyticsRun run) {
    return runs().stream().anyMatch(found -> !RunState.isFinal(found));
  }

  @Override
  public @Nullable RunClass runClass(AnalyticsRun run) {
    return runClasses().stream()
        .filter(found -> found.getMetadata().getName().equals(run.getSpec().className()))
        .findFirst()
        .orElse(null);
  }

  @Override
  public Collection<RunClass> runClasses() {
    return client.resources(RunClass.class).list().getItems();
  }

  @Override
  public Collection<AnalyticsRun> runs(String namespace) {
    return List.of();
  }

  @Override
  public Set<String> runUids(String namespace) {
    return Set.of(Samples.RUN_UID);
  }

  @Override
  public Set<String> unfinishedRunUids(String namespace) {
    return Set.of();
  }

  @Override
  public Set<String> startedRunUids(String namespace, String className) {
    return Set.of();
  }

  @Override
  public Collection<Pod> podsOfRuns(String namespace, String className) {
    return List.of();
  }

  @Override
  public Optional<AnalyticsRun> runOf(Pod pod) {
    return Optional.empty();
  }

  @Override
  public Set<String> reusableRunUids(String namespace) {
    return Set.of();
  }

  @Override
  public List<AnalyticsRun> waitingForRoom(String namespace) {
    return List.of();
  }

  @Override
  public void onPodEnded(Consumer<String> namespace) {
    // No quota is full.
  }

  @Override
  public void onPodChanged(Consumer<Pod> pod) {
    // Its executions look again after a while.
  }

  @Override
  public void podCreated(Pod pod) {
    // The API server has it.
  }

  @Override
  public void runWritten(AnalyticsRun before, AnalyticsRun after) {
    // The API server has it.
  }

  @Override
  public Optional<Dataset> cachedDataset(AnalyticsRun run, String name) {
    return cachedDataset.get();
  }

  @Override
  public Optional<Dataset> dataset(AnalyticsRun run, String name) {
    return Optional.ofNullable(
        client.resources(Dataset.class).inNamespace(Samples.NAMESPACE).withName(name).get());
  }

  @Override
  public Optional<AnalyticsRun> run(AnalyticsRun run, String name) {
    return Optional.empty();
  }

  @Override
  public void reconcileAgain(AnalyticsRun run) {
    // It is reconciled in each round.
  }
}
