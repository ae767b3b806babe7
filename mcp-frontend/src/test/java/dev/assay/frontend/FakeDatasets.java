package dev.assay.frontend;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Datasets without a cluster. */
public final class FakeDatasets implements DatasetGateway {
  private final Map<String, Dataset> datasets = new ConcurrentSkipListMap<>();
  private final Map<String, List<Subscription<Dataset>>> subscriptions = new ConcurrentHashMap<>();
  private final Map<String, Dataset> stale = new ConcurrentHashMap<>();
  public volatile @Nullable RuntimeException refusal;
  public volatile @Nullable RuntimeException readRefusal;
  private volatile @Nullable DatasetPhase phaseOfNew = DatasetPhase.Ready;

  /** What becomes of datasets that are written; null leaves them alone. */
  public FakeDatasets newOnesBecome(@Nullable DatasetPhase phase) {
    this.phaseOfNew = phase;
    return this;
  }

  /** Puts a dataset there. */
  public FakeDatasets with(Dataset dataset) {
    datasets.put(dataset.getMetadata().getName(), dataset);
    return this;
  }

  /** From now on the cache shows this one, whatever there is. */
  public void cacheStillShows(Dataset dataset) {
    stale.put(dataset.getMetadata().getName(), dataset);
  }

  /** Publishes a phase for a dataset's own generation. */
  public void settle(String name, DatasetPhase phase) {
    Dataset now = datasets.get(name);
    if (now == null) {
      throw new IllegalStateException("no dataset " + name);
    }
    Dataset next = new Dataset();
    next.setMetadata(now.getMetadata());
    next.setSpec(now.getSpec());
    next.setStatus(Fixtures.datasetStatus(phase, now.getMetadata().getGeneration()));
    datasets.put(name, next);
    subscriptions
        .getOrDefault(name, List.of())
        .forEach(subscription -> subscription.publish(new Change<>(next, false)));
  }

  /** Whether somebody waits for a dataset. */
  public boolean isFollowed(String name) {
    return !subscriptions.getOrDefault(name, List.of()).isEmpty();
  }

  @Override
  public Subscription<Dataset> follow(String namespace, String name) {
    List<Subscription<Dataset>> all =
        subscriptions.computeIfAbsent(name, k -> new CopyOnWriteArrayList<>());
    List<Subscription<Dataset>> made = new CopyOnWriteArrayList<>();
    Subscription<Dataset> subscription = new Subscription<>(() -> all.removeAll(made));
    made.add(subscription);
    all.add(subscription);
    return subscription;
  }

  @Override
  public Optional<Dataset> find(String namespace, String name) {
    return Optional.ofNullable(stale.get(name)).or(() -> read(namespace, name));
  }

  @Override
  public Optional<Dataset> read(String namespace, String name) {
    failIf(readRefusal);
    return Optional.ofNullable(datasets.get(name));
  }

  @Override
  public List<Dataset> list(String namespace) {
    return List.copyOf(datasets.values());
  }

  @Override
  public Optional<Dataset> create(Dataset dataset) {
    failIf(refusal);
    if (datasets.containsKey(dataset.getMetadata().getName())) {
      return Optional.empty();
    }
    dataset.getMetadata().setGeneration(1L);
    dataset.getMetadata().setCreationTimestamp("2026-01-02T03:04:05Z");
    return Optional.of(written(dataset));
  }

  @Override
  public Optional<Dataset> replace(Dataset read, DatasetSpec spec) {
    Dataset next = new Dataset();
    next.setMetadata(
        new ObjectMetaBuilder(read.getMetadata())
            .withGeneration(read.getMetadata().getGeneration() + 1)
            .build());
    next.setSpec(spec);
    next.setStatus(read.getStatus());
    return Optional.of(written(next));
  }

  @Override
  public boolean delete(Dataset read) {
    return datasets.remove(read.getMetadata().getName()) != null;
  }

  private static void failIf(@Nullable RuntimeException refusal) {
    if (refusal != null) {
      throw refusal;
    }
  }

  private Dataset written(Dataset dataset) {
    String name = dataset.getMetadata().getName();
    // Read first: a test that sees the dataset may change what becomes of the next one.
    DatasetPhase phase = phaseOfNew;
    datasets.put(name, dataset);
    if (phase != null) {
      Thread.ofVirtual().start(() -> settle(name, phase));
    }
    return dataset;
  }
}
