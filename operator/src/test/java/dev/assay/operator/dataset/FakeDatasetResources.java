package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The resources of a dataset, set by the test. Initially there is a class. */
final class FakeDatasetResources implements DatasetResources {
  final Map<String, Pod> pods = new ConcurrentHashMap<>();

  /** Those that are cached. */
  final List<Dataset> datasets = new CopyOnWriteArrayList<>();

  /** Those that own a Pod, by its name. */
  final Map<String, Dataset> owners = new ConcurrentHashMap<>();

  volatile @Nullable RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Snapshot));
  final List<Pod> podsMade = new ArrayList<>();
  final List<String> woken = new CopyOnWriteArrayList<>();
  final AtomicInteger askedAgain = new AtomicInteger();

  @Override
  public List<EventSource<?, Dataset>> prepare(EventSourceContext<Dataset> context) {
    return List.of();
  }

  @Override
  public List<Pod> pods() {
    return List.copyOf(pods.values());
  }

  @Override
  public List<Dataset> datasets() {
    return List.copyOf(datasets);
  }

  @Override
  public Optional<Dataset> datasetOf(Pod pod) {
    return Optional.ofNullable(owners.get(pod.getMetadata().getName()));
  }

  @Override
  public List<Pod> pods(Dataset dataset) {
    return List.copyOf(pods.values());
  }

  @Override
  public Optional<Pod> pod(Dataset dataset, String name) {
    return Optional.ofNullable(pods.get(name));
  }

  @Override
  public boolean isActive(Dataset dataset) {
    return true;
  }

  @Override
  public void onPodEnded(Consumer<String> namespace) {}

  @Override
  public void podCreated(Pod pod) {
    podsMade.add(pod);
  }

  @Override
  public @Nullable RunClass runClass(Dataset dataset) {
    return runClass;
  }

  @Override
  public void reconcileAgain(Dataset dataset) {
    woken.add(dataset.getMetadata().getName());
    askedAgain.incrementAndGet();
  }
}
