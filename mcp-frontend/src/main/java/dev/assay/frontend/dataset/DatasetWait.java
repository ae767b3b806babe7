package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Waits until a dataset is ready or has failed, and reports progress meanwhile. */
public final class DatasetWait {
  private final Duration progressEvery;

  /**
   * A wait.
   *
   * @param progressEvery interval of progress reports while nothing changes
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
   * Waits; returns Loading if it timed out or the call was cancelled. Continues for a call that was
   * abandoned: what follows the wait is still wanted.
   *
   * @param dataset as it is now, read from the API server or written by the caller after the
   *     subscription was made; changes of an earlier generation are ignored
   * @param atMost how long
   */
  public DatasetState await(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(dataset, subscription, atMost, call, call.cancellation()::isCancelled);
  }

  /** The same, but ends when the call is abandoned, too. */
  public DatasetState awaitAttended(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return await(dataset, subscription, atMost, call, call.cancellation()::isUnattended);
  }

  private DatasetState await(
      Dataset dataset,
      Subscription<Dataset> subscription,
      Duration atMost,
      CallContext call,
      BooleanSupplier unwanted)
      throws InterruptedException {
    return awaitSeen(
            dataset, subscription, atMost, call, seen -> isSettled(seen) || unwanted.getAsBoolean())
        .state;
  }

  /** The same, until its Pod takes the bytes of its upload, or another spec has replaced it. */
  Seen awaitUploading(
      Dataset dataset, Subscription<Dataset> subscription, Duration atMost, CallContext call)
      throws InterruptedException {
    return awaitSeen(
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

  private Seen awaitSeen(
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
        return new Seen(
            change.object(), DatasetState.Failed.passing("it was deleted while it was loading"));
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
