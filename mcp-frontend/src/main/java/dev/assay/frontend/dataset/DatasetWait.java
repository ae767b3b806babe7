package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until a dataset is ready or has failed, and tells of its progress meanwhile. */
public final class DatasetWait {
  private final Duration progressEvery;

  /**
   * A wait.
   *
   * @param progressEvery how often progress is told while nothing changes
   */
  public DatasetWait(Duration progressEvery) {
    this.progressEvery = progressEvery;
  }

  /**
   * Waits; the state returned is Loading where the time was over or the call cancelled. Goes on for
   * a call that was abandoned: what comes after the wait is still wanted.
   *
   * @param dataset as it is now, read from the API server or written by the caller after the
   *     subscription was made; what is told of an earlier generation is passed over
   * @param atMost how long
   */
  public DatasetState await(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(dataset, subscription, atMost, call, call.cancellation()::isCancelled, false);
  }

  /** The same, for as long as somebody waits for the answer. */
  public DatasetState awaitAttended(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(dataset, subscription, atMost, call, call.cancellation()::isUnattended, false);
  }

  /** The same, until its Pod takes the bytes of an upload. */
  DatasetState awaitUploading(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(dataset, subscription, atMost, call, call.cancellation()::isCancelled, true);
  }

  private DatasetState await(
      Dataset dataset,
      Subscription<Dataset> subscription,
      Duration atMost,
      CallContext call,
      BooleanSupplier stop,
      boolean untilUploading)
      throws InterruptedException {
    Stopwatch watch = new Stopwatch();
    call.cancellation().onChange(subscription::wake);
    DatasetState state = DatasetState.of(dataset);
    while (state instanceof DatasetState.Loading loading
        && !(untilUploading && loading.isUploading())) {
      Duration left = watch.left(atMost);
      if (!left.isPositive() || stop.getAsBoolean()) {
        return state;
      }
      call.progress()
          .report(
              "loading dataset "
                  + dataset.getMetadata().getName()
                  + " for "
                  + watch.elapsed().toSeconds()
                  + " s ("
                  + loading.phase()
                  + ")");
      Change<Dataset> change =
          subscription.next(left.compareTo(progressEvery) < 0 ? left : progressEvery);
      if (change != null && change.deleted()) {
        return new DatasetState.Failed("it was deleted meanwhile");
      }
      if (change != null && !isEarlier(change.object(), dataset)) {
        state = DatasetState.of(change.object());
      }
    }
    return state;
  }

  private static boolean isEarlier(Dataset told, Dataset known) {
    Long generation = told.getMetadata().getGeneration();
    Long least = known.getMetadata().getGeneration();
    return generation != null && least != null && generation < least;
  }
}
