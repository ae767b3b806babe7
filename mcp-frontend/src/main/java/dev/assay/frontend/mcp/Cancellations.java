package dev.assay.frontend.mcp;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallKey;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Stopwatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@code notifications/cancelled} and the end of sessions, also for calls that another
 * replica works on.
 */
public final class Cancellations {
  private static final Logger log = LoggerFactory.getLogger(Cancellations.class);

  /**
   * Bounds the cancellations that are remembered for runs not yet seen. Clients with a session for
   * each call add one with each.
   */
  private static final int MAX_AWAITED = 10_000;

  /** Of these, those of one caller, so that none forgets the others'. */
  private static final int MAX_AWAITED_OF_CALLER = MAX_AWAITED / 10;

  private final CallsInFlight calls;
  private final RunGateway runs;
  private final Duration awaitRun;
  private final Map<Calls, Stopwatch> awaited = new ConcurrentHashMap<>();

  /**
   * What finds the runs of calls that another replica works on.
   *
   * @param requestId of the run of a call; its prefix where all of a session are meant
   */
  private record Calls(String namespace, String caller, String requestId) {
    boolean isOfCaller(Calls other) {
      return namespace.equals(other.namespace) && caller.equals(other.caller);
    }

    boolean include(AnalyticsRun run) {
      String other = run.getSpec().requestId();
      return caller.equals(run.getSpec().caller())
          && other != null
          && (other.equals(requestId) || CallKey.prefixIn(other).equals(requestId));
    }
  }

  /**
   * Cancellations of a front end.
   *
   * @param awaitRun how long a call of another replica may take to create its run
   */
  public Cancellations(CallsInFlight calls, RunGateway runs, Duration awaitRun) {
    this.calls = calls;
    this.runs = runs;
    this.awaitRun = awaitRun;
    runs.onSeen(this::seen);
  }

  /** Cancels the call that a notification names, if it is the same caller's. */
  public void cancelled(Identity identity, @Nullable String session, Map<String, Object> params) {
    Object id = params.get("requestId");
    if (!(id instanceof String || id instanceof Number)) {
      return;
    }
    CallKey key = new CallKey(identity, session, CallKey.idOf(id));
    if (calls.cancel(key)) {
      return;
    }
    String requestId = key.requestId();
    if (requestId != null) {
      cancelElsewhere(new Calls(identity.namespace(), identity.caller(), requestId));
    }
  }

  /** Cancels the calls of a session that its client has ended, if they are the same caller's. */
  public void ended(Identity identity, String session) {
    calls.cancelAll(identity, session);
    cancelElsewhere(new Calls(identity.namespace(), identity.caller(), CallKey.prefixOf(session)));
  }

  private void cancelElsewhere(Calls which) {
    // First, so that a run that comes meanwhile is not missed.
    await(which);
    List<AnalyticsRun> found =
        runs.list(which.namespace).stream()
            .filter(which::include)
            .filter(run -> !RunState.hasEnded(run))
            .filter(run -> !RunState.isDetached(run))
            .filter(run -> !Boolean.TRUE.equals(run.getSpec().cancel()))
            .toList();
    found.forEach(this::cancel);
  }

  /** The run may not exist yet: its call may still wait for a dataset, in another replica. */
  private void await(Calls which) {
    awaited.values().removeIf(since -> !since.left(awaitRun).isPositive());
    if (awaited.size() < MAX_AWAITED
        && awaited.keySet().stream().filter(which::isOfCaller).count() < MAX_AWAITED_OF_CALLER) {
      awaited.put(which, new Stopwatch());
    }
  }

  private void seen(AnalyticsRun run) {
    String caller = run.getSpec().caller();
    String requestId = run.getSpec().requestId();
    if (caller == null || requestId == null || awaited.isEmpty()) {
      return;
    }
    String namespace = run.getMetadata().getNamespace();
    if (isAwaited(new Calls(namespace, caller, requestId))
        || isAwaited(new Calls(namespace, caller, CallKey.prefixIn(requestId)))) {
      Thread.startVirtualThread(() -> cancel(run));
    }
  }

  private boolean isAwaited(Calls which) {
    Stopwatch since = awaited.get(which);
    return since != null && since.left(awaitRun).isPositive();
  }

  /** A run whose call was answered goes on: its caller knows it, and may have ended a session. */
  private void cancel(AnalyticsRun seen) {
    String namespace = seen.getMetadata().getNamespace();
    String name = seen.getMetadata().getName();
    try {
      // The cache may be behind the answer.
      if (runs.read(namespace, name).filter(run -> !RunState.isDetached(run)).isPresent()) {
        runs.cancel(namespace, name);
      }
    } catch (ClusterException e) {
      log.warn("the run {} could not be cancelled: {}", name, e.getMessage());
    }
  }
}
