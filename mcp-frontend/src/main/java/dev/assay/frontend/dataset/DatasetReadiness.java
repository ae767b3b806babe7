package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.watch.Patience;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Optional;

/** Whether a run can read a dataset, after a wait for one that is loading. */
public final class DatasetReadiness {
  private final DatasetGateway datasets;
  private final DatasetWait wait;
  private final Duration atMost;

  /**
   * A check.
   *
   * @param atMost how long it waits for a dataset that is loading
   */
  public DatasetReadiness(DatasetGateway datasets, DatasetWait wait, Duration atMost) {
    this.datasets = datasets;
    this.wait = wait;
    this.atMost = atMost;
  }

  /** What was found. */
  public sealed interface Finding {}

  /** Runs can read it. */
  public record Usable(Dataset dataset) implements Finding {}

  /** It does not exist. */
  public record Absent() implements Finding {}

  /** It was not loaded. */
  public record Failed(Dataset dataset, DatasetState.Failed state) implements Finding {}

  /** It is still loading, after the wait. */
  public record Loading(DatasetPhase phase) implements Finding {}

  /** The caller has cancelled the wait. */
  public record Cancelled() implements Finding {}

  /** How long it waits for a dataset that is loading. */
  public Duration atMost() {
    return atMost;
  }

  /**
   * Finds out.
   *
   * @param patience how long the caller waits, where that is less
   */
  public Finding of(String resourceName, Patience patience, CallContext call)
      throws InterruptedException {
    String namespace = call.identity().namespace();
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      // What is not ready is read again: the cache may be behind what the caller knows.
      Optional<Dataset> dataset =
          datasets
              .find(namespace, resourceName)
              .flatMap(
                  found ->
                      DatasetState.of(found) instanceof DatasetState.Ready
                          ? Optional.of(found)
                          : datasets.read(namespace, resourceName));
      if (dataset.isEmpty()) {
        return new Absent();
      }
      if (DatasetState.usable(dataset.get()).isPresent()) {
        return new Usable(dataset.get());
      }
      DatasetState state = wait.await(dataset.get(), subscription, patience.left(atMost), call);
      return switch (state) {
        case DatasetState.Ready ready ->
            new Usable(datasets.find(namespace, resourceName).orElse(dataset.get()));
        case DatasetState.Failed failed -> new Failed(dataset.get(), failed);
        case DatasetState.Loading loading when call.cancellation().isCancelled() -> new Cancelled();
        case DatasetState.Loading loading -> new Loading(loading.phase());
      };
    }
  }
}
