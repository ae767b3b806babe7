package dev.assay.frontend.call;

import dev.assay.api.logging.TraceId;
import dev.assay.frontend.identity.Identity;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call.
 *
 * @param identity who calls
 * @param requestId what the log, the run and an error's text call it; at most 128 characters
 * @param progress told of every step
 * @param cancellation stops it
 * @param memory what it takes
 * @param idempotencyKey of the run that it creates
 * @param traceId of the trace that it is part of
 * @param run the run that it became, for the log
 */
public record CallContext(
    Identity identity,
    String requestId,
    Progress progress,
    Cancellation cancellation,
    CallMemory memory,
    Optional<IdempotencyKey> idempotencyKey,
    String traceId,
    AtomicReference<@Nullable CallRun> run) {

  /** A call that has not become a run. */
  public CallContext(
      Identity identity,
      String requestId,
      Progress progress,
      Cancellation cancellation,
      CallMemory memory,
      Optional<IdempotencyKey> idempotencyKey,
      String traceId) {
    this(
        identity,
        requestId,
        progress,
        cancellation,
        memory,
        idempotencyKey,
        traceId,
        new AtomicReference<>());
  }

  /** A call without a key and in a trace of its own, whose memory nobody counts. */
  public CallContext(
      Identity identity, String requestId, Progress progress, Cancellation cancellation) {
    this(
        identity,
        requestId,
        progress,
        cancellation,
        CallMemory.UNCOUNTED,
        Optional.empty(),
        TraceId.random());
  }
}
