package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;

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
   * What was seen last.
   *
   * @param state of the dataset, also where it was deleted
   */
  record Seen(Dataset dataset, DatasetState state) {}

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
    return await(
            dataset,
            subscription,
            atMost,
            call,
            seen -> isSettled(seen) || call.cancellation().isCancelled())
        .state;
  }

  /** The same, for as long as somebody waits for the answer. */
  public DatasetState awaitAttended(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(
            dataset,
            subscription,
            atMost,
            call,
            seen -> isSettled(seen) || call.cancellation().isUnattended())
        .state;
  }

  /** The same, until its Pod takes the bytes of its upload, or another spec has replaced it. */
  Seen awaitUploading(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(
        dataset,
        subscription,
        atMost,
        call,
        seen ->
            isSettled(seen)
                || (seen.state instanceof DatasetState.Loading loading && loading.isUploading())
                || !Objects.equals(
                    seen.dataset.getSpec().source().upload(), dataset.getSpec().source().upload())
                || call.cancellation().isCancelled());
  }

  private static boolean isSettled(Seen seen) {
    return !(seen.state instanceof DatasetState.Loading);
  }

  private Seen await(
      Dataset dataset,
      Subscription<Dataset> subscription,
      Duration atMost,
      CallContext call,
      Predicate<Seen> until)
      throws InterruptedException {
    Stopwatch watch = new Stopwatch();
    call.cancellation().onChange(subscription::wake);
    Seen seen = new Seen(dataset, DatasetState.of(dataset));
    while (!until.test(seen)) {
      Duration left = watch.left(atMost);
      if (!left.isPositive()) {
        return seen;
      }
      call.progress().report(line(seen, watch.elapsed()));
      Change<Dataset> change =
          subscription.next(left.compareTo(progressEvery) < 0 ? left : progressEvery);
      if (change != null && change.deleted()) {
        return new Seen(change.object(), new DatasetState.Failed("it was deleted meanwhile"));
      }
      if (change != null && !isEarlier(change.object(), dataset)) {
        seen = new Seen(change.object(), DatasetState.of(change.object()));
      }
    }
    return seen;
  }

  private static String line(Seen seen, Duration elapsed) {
    DatasetPhase phase =
        seen.state instanceof DatasetState.Loading loading ? loading.phase() : DatasetPhase.Loading;
    return "loading dataset "
        + seen.dataset.getMetadata().getName()
        + " for "
        + elapsed.toSeconds()
        + " s ("
        + phase
        + ")";
  }

  private static boolean isEarlier(Dataset told, Dataset known) {
    Long generation = told.getMetadata().getGeneration();
    Long least = known.getMetadata().getGeneration();
    return generation != null && least != null && generation < least;
  }
}
