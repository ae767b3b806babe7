package dev.assay.frontend.rest;

import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.IdempotencyKey;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.identity.Identity;
import java.util.Map;
import java.util.Optional;

/**
 * A request that has found its route.
 *
 * @param identity who asks
 * @param requestId what the log, the run and an error's text call it
 * @param name the name in the path; empty where the path has none
 * @param path the rest of the path, decoded; empty where the route ends before
 * @param query what follows the path
 * @param members of the body, as they came; empty where the route takes none
 * @param raw the body where the route takes it as it comes
 * @param conditions of a file
 * @param idempotencyKey of the run that it creates
 * @param memory of what is waited for
 * @param traceId of the trace that it is part of
 */
public record RestRequest(
    Identity identity,
    String requestId,
    String name,
    String path,
    Query query,
    Map<String, Object> members,
    Optional<RawBody> raw,
    Conditions conditions,
    Optional<IdempotencyKey> idempotencyKey,
    CallMemory memory,
    String traceId) {
  /**
   * Headers about a part of a file.
   *
   * @param range the part that is wanted
   * @param ifRange the tag of the file that the part is of
   */
  public record Conditions(Optional<String> range, Optional<String> ifRange) {
    /** No part. */
    public static final Conditions NONE = new Conditions(Optional.empty(), Optional.empty());
  }

  /** The same as a call. */
  CallContext call(Cancellation cancellation) {
    return new CallContext(
        identity, requestId, Progress.NONE, cancellation, memory, idempotencyKey, traceId);
  }

  String namespace() {
    return identity.namespace();
  }
}
