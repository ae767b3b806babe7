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

  /** What the {@link #requestId} of each call of a session begins with: no session has a dot. */
  public static String prefixOf(String session) {
    return session + ".";
  }

  /** The same, of one of these; empty where it is of no session. */
  public static String prefixIn(String requestId) {
    return requestId.substring(0, requestId.indexOf('.') + 1);
  }

  /**
   * What a run of this call carries, so that any replica can find it; null where the call has no
   * session and so no name that is its own, or one that is too long or unreadable.
   */
  public @Nullable String requestId() {
    if (session == null) {
      return null;
    }
    String requestId = prefixOf(session) + id;
    return requestId.length() <= MAX_REQUEST_ID && requestId.matches("[\\x21-\\x7e]+")
        ? requestId
        : null;
  }
}
