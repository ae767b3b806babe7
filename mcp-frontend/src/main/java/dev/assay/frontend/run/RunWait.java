package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import dev.assay.frontend.watch.Stopwatch;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Waits for the end of a run and tells of its progress meanwhile. */
public final class RunWait {
  private final RunGateway runs;
  private final Duration progressEvery;
  private final Duration grace;

  /**
   * A wait.
   *
   * @param progressEvery interval of progress reports while nothing changes
   * @param grace how long a created run may be absent from the cache before the API server is asked
   */
  public RunWait(RunGateway runs, Duration progressEvery, Duration grace) {
    this.runs = runs;
    this.progressEvery = progressEvery;
    this.grace = grace;
  }

  /**
   * Waits for the end of a run that exists already, and may have ended since it was read.
   *
   * @param run as it was read or created
   * @param bound when it must have ended
   * @param patience how long its caller waits for that
   */
  public RunOutcome follow(AnalyticsRun run, Duration bound, Patience patience, CallContext call)
      throws InterruptedException {
    String namespace = run.getMetadata().getNamespace();
    String name = run.getMetadata().getName();
    try (Subscription<AnalyticsRun> subscription = runs.follow(namespace, name)) {
      Optional<AnalyticsRun> now = runs.read(namespace, name);
      if (now.isEmpty()) {
        return new RunOutcome.Deleted(run);
      }
      return RunState.hasEnded(now.get())
          ? new RunOutcome.Ended(now.get())
          : await(now.get(), subscription, bound, patience, call);
    }
  }

  /**
   * Waits for the end of a run that was created, or read, after the subscription to it.
   *
   * @param created the run as the API server returned it
   * @param bound when it must have ended
   * @param patience how long its caller waits for that
   */
  public RunOutcome await(
      AnalyticsRun created,
      Subscription<AnalyticsRun> subscription,
      Duration bound,
      Patience patience,
      CallContext call)
      throws InterruptedException {
    String namespace = created.getMetadata().getNamespace();
    String name = created.getMetadata().getName();
    Stopwatch sinceCreation = new Stopwatch();
    Stopwatch sincePhase = sinceCreation;
    Stopwatch sinceLook = sinceCreation;
    AnalyticsRun last = created;
    boolean seen = false;
    if (RunState.hasEnded(created)) {
      return new RunOutcome.Ended(created);
    }
    call.cancellation().onChange(subscription::wake);
    call.progress().report(RunProgress.line(last, Duration.ZERO));
    while (true) {
      if (call.cancellation().isCancelled()) {
        return new RunOutcome.NotWanted(last);
      }
      if (call.cancellation().isUnattended()) {
        return new RunOutcome.Abandoned(last);
      }
      Duration left = sinceCreation.left(bound);
      if (!left.isPositive()) {
        return lookOnce(namespace, name, last);
      }
      left = patience.left(left);
      if (!left.isPositive()) {
        return new RunOutcome.InProgress(last);
      }
      boolean endsNext = left.compareTo(progressEvery) <= 0;
      Change<AnalyticsRun> change = subscription.next(endsNext ? left : progressEvery);
      if (change != null && !RunState.isSame(created, change.object())) {
        continue;
      }
      if (change == null) {
        if (!seen && sinceLook.elapsed().compareTo(grace) >= 0) {
          sinceLook = new Stopwatch();
          change = look(namespace, name, last);
        }
      } else {
        seen = true;
      }
      if (change != null) {
        boolean nothingNew = RunProgress.isTheSame(change.object(), last);
        if (RunState.phaseOf(change.object()) != RunState.phaseOf(last)) {
          sincePhase = new Stopwatch();
        }
        last = change.object();
        if (RunState.hasEnded(last)) {
          return new RunOutcome.Ended(last);
        }
        if (change.deleted()) {
          return new RunOutcome.Deleted(last);
        }
        if (nothingNew) {
          continue;
        }
      } else if (endsNext) {
        // The reply follows at once. Clients handle progress after a response of the same chunk.
        continue;
      }
      call.progress().report(RunProgress.line(last, sincePhase.elapsed()));
    }
  }

  /** Null where the API server cannot be asked now: the informer will tell when it can. */
  private @Nullable Change<AnalyticsRun> look(String namespace, String name, AnalyticsRun last) {
    try {
      return runs.read(namespace, name)
          .map(run -> new Change<>(run, false))
          .orElseGet(() -> new Change<>(last, true));
    } catch (ClusterException e) {
      return null;
    }
  }

  private RunOutcome lookOnce(String namespace, String name, AnalyticsRun last) {
    Optional<AnalyticsRun> now = runs.read(namespace, name);
    if (now.isEmpty()) {
      return new RunOutcome.Deleted(last);
    }
    if (RunState.hasEnded(now.get())) {
      return new RunOutcome.Ended(now.get());
    }
    // What limits a run that a newer version has written is not known here.
    return now.get().understood()
        ? new RunOutcome.Overdue(now.get())
        : new RunOutcome.InProgress(now.get());
  }
}
