package dev.assay.frontend.mcp;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client can send. */
public sealed interface Message {
  /** What its sender knows it by; null where it has no id, or none that could be read. */
  default @Nullable Object knownId() {
    return switch (this) {
      case Request request -> request.id;
      case Malformed malformed -> malformed.id;
      case Notification _, Response _ -> null;
    };
  }

  /**
   * Wants an answer.
   *
   * @param id a number or a text
   * @param params as they came; what is longer than any tool takes is a {@link
   *     dev.assay.frontend.call.OversizedValue}
   * @param heapBytes about what all of it takes in memory
   */
  record Request(Object id, String method, Map<String, Object> params, long heapBytes)
      implements Message {
    private static final String CALL_OF_RUN = "assay.dev/tool-call";

    /** In {@code _meta}: as an argument of each tool it would cost tokens of every conversation. */
    public static final String IDEMPOTENCY_KEY = "assay.dev/idempotency-key";

    /** Lets the params and their arguments go, of which a call has taken what it needs. */
    public void forgetParams() {
      if (params.get("arguments") instanceof Map<?, ?> arguments && !arguments.isEmpty()) {
        arguments.clear();
      }
      if (!params.isEmpty()) {
        params.clear();
      }
    }

    /** Whether the code of a run makes it, through the gateway of tools, which has marked it. */
    public boolean isCallOfRun() {
      return params.get("_meta") instanceof Map<?, ?> meta
          && Boolean.TRUE.equals(meta.get(CALL_OF_RUN));
    }

    /** The key of the run that it creates, as it came; null for none. */
    public @Nullable Object idempotencyKey() {
      return params.get("_meta") instanceof Map<?, ?> meta ? meta.get(IDEMPOTENCY_KEY) : null;
    }

    /** The token for progress notifications, where they are wanted. */
    public @Nullable Object progressToken() {
      Object meta = params.get("_meta");
      Object token = meta instanceof Map<?, ?> map ? map.get("progressToken") : null;
      return token instanceof String || token instanceof Number ? token : null;
    }
  }

  /** Wants no answer. */
  record Notification(String method, Map<String, Object> params) implements Message {}

  /** An answer to a question that we never ask. */
  record Response() implements Message {}

  /**
   * None of these.
   *
   * @param id the id, as far as it could be read
   * @param error what to answer
   */
  record Malformed(@Nullable Object id, RpcError error) implements Message {}
}
