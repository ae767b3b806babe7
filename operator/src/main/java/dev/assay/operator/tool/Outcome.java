package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call.
 *
 * @param code why there is no result; null if there is one
 * @param sent whether the call was sent
 * @param body the envelope that code reads, as JSON text
 * @param millis how long the tool server took; null if that is not known
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record Outcome(@Nullable CallCode code, Sent sent, byte[] body, @Nullable Long millis) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A call with a result.
   *
   * @param result what code reads of it, JSON text
   * @param raw the same as the server sent it, JSON text
   */
  static Outcome result(byte[] result, byte[] raw, @Nullable Long millis) {
    ByteArrayOutputStream body = new ByteArrayOutputStream(result.length + raw.length + 64);
    body.writeBytes("{\"ok\":true,\"result\":".getBytes(UTF_8));
    body.writeBytes(result);
    addRaw(body, raw);
    return new Outcome(null, Sent.YES, body.toByteArray(), millis);
  }

  /** A call without a result. */
  static Outcome error(CallCode code, String message, Sent sent) {
    return error(code, message, sent, null, null);
  }

  /**
   * A call without a result.
   *
   * @param raw what the server sent nevertheless, JSON text; null for nothing
   */
  static Outcome error(
      CallCode code, String message, Sent sent, byte @Nullable [] raw, @Nullable Long millis) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes("{\"ok\":false,\"error\":".getBytes(UTF_8));
    body.writeBytes(write(errorNode(code, message, sent)));
    addRaw(body, raw);
    return new Outcome(code, sent, body.toByteArray(), millis);
  }

  /** A call that is not sent, by a decision about the run. */
  static Outcome refused(CallPolicy.Refused refused) {
    if (!refused.terminate()) {
      return error(refused.code(), refused.message(), Sent.NO);
    }
    ObjectNode body = JSON.createObjectNode().put("ok", false);
    body.set("error", errorNode(refused.code(), refused.message(), Sent.NO));
    return new Outcome(refused.code(), Sent.NO, write(body.put("terminate", true)), null);
  }

  private static ObjectNode errorNode(CallCode code, String message, Sent sent) {
    return JSON.createObjectNode()
        .put("code", code.name())
        .put("message", message)
        .put("sent", sent.wireName());
  }

  private static void addRaw(ByteArrayOutputStream body, byte @Nullable [] raw) {
    if (raw != null) {
      body.writeBytes(",\"raw\":".getBytes(UTF_8));
      body.writeBytes(raw);
    }
    body.write('}');
  }

  private static byte[] write(ObjectNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("An envelope could not be serialized", e);
    }
  }

  /** The same call with a result that is too long for its run. */
  Outcome tooLarge(long limit) {
    return error(
        CallCode.RESULT_TOO_LARGE,
        "The outcome of the call has %d bytes, and at most %d are possible: ask the tool for less"
            .formatted(body.length, limit),
        sent,
        null,
        millis);
  }
}
