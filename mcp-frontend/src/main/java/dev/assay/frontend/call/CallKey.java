package dev.assay.frontend.call;

import dev.assay.frontend.identity.Identity;
import org.jspecify.annotations.Nullable;

/**
 * What a client can call its own call by.
 *
 * @param identity who calls
 * @param session tells the clients of one identity apart; null where the client sends none
 * @param id the JSON-RPC id: {@code n} and a number, or {@code s} and a text
 */
public record CallKey(Identity identity, @Nullable String session, String id) {
  private static final int MAX_REQUEST_ID = 128;

  /** A JSON-RPC id, a number or a text, so that 1 and "1" differ. */
  public static String idOf(Object jsonRpcId) {
    return (jsonRpcId instanceof String ? "s" : "n") + jsonRpcId;
  }

  /**
   * What a run of this call carries, so that any replica can find it; null where the call has no
   * session and so no name that is its own, or one that is too long or unreadable.
   */
  public @Nullable String requestId() {
    String requestId = session + "." + id;
    return session != null
            && requestId.length() <= MAX_REQUEST_ID
            && requestId.matches("[\\x21-\\x7e]+")
        ? requestId
        : null;
  }
}
