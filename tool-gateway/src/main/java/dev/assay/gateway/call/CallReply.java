package dev.assay.gateway.call;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended, as the operator is told.
 *
 * @param ok whether the tool returned a result
 * @param value JSON text of the result; absent if there is none
 * @param raw JSON text of content, structuredContent and isError; absent if there is none
 * @param code why there is no result
 * @param message one sentence
 * @param sent whether the call reached the server
 * @param millis how long it took
 * @param openWorld whether the tool deals with more than a closed set of things
 */
@SuppressWarnings("ArrayRecordComponent")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CallReply(
    boolean ok,
    byte @Nullable [] value,
    byte @Nullable [] raw,
    @Nullable CallCode code,
    @Nullable String message,
    Sent sent,
    long millis,
    boolean openWorld) {
  /** What it takes to remember a call, whatever it returned: its number, digest and places. */
  static final long CALL_BYTES = 400;

  static CallReply failed(
      CallCode code, String message, Sent sent, long millis, byte @Nullable [] raw) {
    return new CallReply(false, null, raw, code, message, sent, millis, true);
  }

  /** How many bytes the tool replied. */
  long resultBytes() {
    return (value == null ? 0L : value.length) + (raw == null ? 0L : raw.length);
  }

  /** How many bytes are kept of it and of its call. */
  long size() {
    return CALL_BYTES
        + resultBytes()
        + (message == null ? 0L : (long) Character.BYTES * message.length());
  }
}
