package dev.assay.frontend.call;

import dev.assay.frontend.identity.Identity;
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
 * @param run the run that it became, for the log
 */
public record CallContext(
    Identity identity,
    String requestId,
    Progress progress,
    Cancellation cancellation,
    CallMemory memory,
    AtomicReference<@Nullable CallRun> run) {

  /** A call that has not become a run. */
  public CallContext(
      Identity identity,
      String requestId,
      Progress progress,
      Cancellation cancellation,
      CallMemory memory) {
    this(identity, requestId, progress, cancellation, memory, new AtomicReference<>());
  }

  /** A call whose memory nobody counts. */
  public CallContext(
      Identity identity, String requestId, Progress progress, Cancellation cancellation) {
    this(identity, requestId, progress, cancellation, CallMemory.UNCOUNTED);
  }
}
