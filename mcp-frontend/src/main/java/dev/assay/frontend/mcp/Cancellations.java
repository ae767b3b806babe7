package dev.assay.frontend.mcp;

import dev.assay.frontend.call.CallKey;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.watch.ClusterException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out {@code notifications/cancelled}, also for calls that another replica works on. */
public final class Cancellations {
  private static final Logger log = LoggerFactory.getLogger(Cancellations.class);

  private final CallsInFlight calls;
  private final RunGateway runs;

  public Cancellations(CallsInFlight calls, RunGateway runs) {
    this.calls = calls;
    this.runs = runs;
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
    try {
      runs.unfinishedRunOf(identity.namespace(), identity.caller(), requestId)
          .ifPresent(run -> runs.cancel(identity.namespace(), run));
    } catch (ClusterException e) {
      log.warn("request {} could not be cancelled: {}", requestId, e.getMessage());
    }
  }
}
