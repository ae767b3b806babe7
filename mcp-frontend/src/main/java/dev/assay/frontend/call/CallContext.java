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
 * @param run the name of the run that it became, for the log
 */
public record CallContext(
    Identity identity,
    String requestId,
    Progress progress,
    Cancellation cancellation,
    AtomicReference<@Nullable String> run) {

  public CallContext(
      Identity identity, String requestId, Progress progress, Cancellation cancellation) {
    this(identity, requestId, progress, cancellation, new AtomicReference<>());
  }
}
