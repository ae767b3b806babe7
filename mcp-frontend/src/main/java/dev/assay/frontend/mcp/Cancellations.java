package dev.assay.frontend.mcp;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallKey;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Stopwatch;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out {@code notifications/cancelled}, also for calls that another replica works on. */
public final class Cancellations {
  private static final Logger log = LoggerFactory.getLogger(Cancellations.class);

  /** More cancellations at a time that find no run than there are calls would be nonsense. */
  private static final int MAX_AWAITED = 1000;

  private final CallsInFlight calls;
  private final RunGateway runs;
  private final Duration awaitRun;
  private final Map<Request, Stopwatch> awaited = new ConcurrentHashMap<>();

  /** What finds the run of a call that another replica works on. */
  private record Request(String namespace, String caller, String requestId) {}

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
    if (requestId == null) {
      return;
    }
    Request request = new Request(identity.namespace(), identity.caller(), requestId);
    // First, so that a run that comes meanwhile is not missed.
    await(request);
    runs.unfinishedRunOf(request.namespace, request.caller, requestId)
        .ifPresent(
            run -> {
              awaited.remove(request);
              cancel(request, run);
            });
  }

  /** The call may wait for a dataset still, in a replica that cannot be told. */
  private void await(Request request) {
    awaited.values().removeIf(since -> !since.left(awaitRun).isPositive());
    if (awaited.size() < MAX_AWAITED) {
      awaited.put(request, new Stopwatch());
    }
  }

  private void seen(AnalyticsRun run) {
    String caller = run.getSpec().caller();
    String requestId = run.getSpec().requestId();
    if (caller == null || requestId == null || awaited.isEmpty()) {
      return;
    }
    Request request = new Request(run.getMetadata().getNamespace(), caller, requestId);
    Stopwatch since = awaited.remove(request);
    if (since != null && since.left(awaitRun).isPositive()) {
      Thread.startVirtualThread(() -> cancel(request, run.getMetadata().getName()));
    }
  }

  private void cancel(Request request, String run) {
    try {
      runs.cancel(request.namespace, run);
    } catch (ClusterException e) {
      log.warn("request {} could not be cancelled: {}", request.requestId, e.getMessage());
    }
  }
}
