package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The output of a run as it comes, until the run has ended. The store tells nobody of new bytes, so
 * that it is asked for them; but only while the run has a Pod. What becomes of the run is watched.
 */
final class LiveTransfer implements Answer.Transfer {
  /** How long the store may not be there; an operator that takes over needs a quarter of it. */
  private static final Duration MAX_WITHOUT_STORE = Duration.ofSeconds(60);

  private static final byte[] NOTHING = {};

  private final RunGateway runs;
  private final OutputBytes outputs;
  private final AnalyticsRun run;
  private final byte[] first;
  private final Pace pace;
  private long at;
  private @Nullable Stopwatch withoutStore;

  /**
   * How often the store is asked, and for how long at most.
   *
   * @param bound of the run: all of its limits
   */
  record Pace(Duration pollEvery, Duration bound) {}

  /**
   * A transfer.
   *
   * @param first what is there already at the offset
   */
  LiveTransfer(
      RunGateway runs,
      OutputBytes outputs,
      AnalyticsRun run,
      long offset,
      byte[] first,
      Pace pace) {
    this.runs = runs;
    this.outputs = outputs;
    this.run = run;
    this.at = offset;
    this.first = first;
    this.pace = pace;
  }

  @Override
  public void to(Answer.Sink sink, Cancellation cancellation) throws InterruptedException {
    if (!pass(first, sink)) {
      return;
    }
    String namespace = run.getMetadata().getNamespace();
    String name = run.getMetadata().getName();
    Stopwatch watch = new Stopwatch();
    try (Subscription<AnalyticsRun> subscription = runs.follow(namespace, name)) {
      cancellation.onChange(subscription::wake);
      AnalyticsRun now = runs.read(namespace, name).orElseThrow(LiveTransfer::deleted);
      while (true) {
        // Looked at before the store is read: what is stored when a run has ended is all there is.
        boolean ended = RunState.hasEnded(now);
        // A bound run may have started: the operator tells that only of code that lasts.
        boolean more = ended || RunState.statusOf(now).pod() != null;
        if (more && !passAll(now, sink)) {
          return;
        }
        if (ended && withoutStore == null) {
          return;
        }
        Duration left = watch.left(pace.bound());
        if (!left.isPositive()) {
          throw new Answer.BrokenOffException("the run has not ended within all of its limits");
        }
        Change<AnalyticsRun> change =
            subscription.next(
                more && pace.pollEvery().compareTo(left) < 0 ? pace.pollEvery() : left);
        if (change != null && !RunState.isSame(run, change.object())) {
          change = null;
        }
        if (change != null && change.deleted()) {
          throw deleted();
        }
        if (cancellation.isCancelled()) {
          return;
        }
        now = change == null ? now : change.object();
      }
    }
  }

  /** Passes on what is stored now; false where the client has disconnected. */
  private boolean passAll(AnalyticsRun now, Answer.Sink sink) throws InterruptedException {
    byte[] piece;
    do {
      piece = read(now);
      if (!pass(piece, sink)) {
        return false;
      }
    } while (OutputBytes.isFull(piece));
    return true;
  }

  private boolean pass(byte[] piece, Answer.Sink sink) {
    at += piece.length;
    return piece.length == 0 || sink.write(piece);
  }

  private byte[] read(AnalyticsRun now) throws InterruptedException {
    try {
      byte[] piece = outputs.at(now, at);
      withoutStore = null;
      return piece;
    } catch (RestException e) {
      withoutStore = withoutStore == null ? new Stopwatch() : withoutStore;
      if (e.status() != 503 || !withoutStore.left(MAX_WITHOUT_STORE).isPositive()) {
        throw new Answer.BrokenOffException(e.text());
      }
      return NOTHING;
    }
  }

  private static Answer.BrokenOffException deleted() {
    return new Answer.BrokenOffException("the run was deleted");
  }
}
