package dev.assay.cli.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The ids of requests that were not answered yet, and that their client still wants answered. */
final class PendingRequests {
  private final Map<JsonNode, State> states = new LinkedHashMap<>();
  private boolean closed;

  /** Who knows of a request. */
  enum State {
    /** Only the bridge. */
    HELD,
    /** The endpoint, too. */
    SENT,
    /** Nobody: it was answered or cancelled, or there never was one. */
    UNKNOWN
  }

  /** Adds the requests of a message. */
  synchronized void add(List<JsonNode> ids) {
    ids.forEach(id -> states.put(id, State.HELD));
  }

  /**
   * Notes that a message is being sent; returns false where it must not be: after {@link #close},
   * or if all its requests were cancelled.
   */
  synchronized boolean send(List<JsonNode> ids) {
    List<JsonNode> wanted = ids.stream().filter(states::containsKey).toList();
    if (closed || (wanted.isEmpty() && !ids.isEmpty())) {
      return false;
    }
    wanted.forEach(id -> states.put(id, State.SENT));
    return true;
  }

  /** Whether a request waits for its reply. */
  synchronized boolean has(JsonNode id) {
    return states.containsKey(id);
  }

  /** Forgets a request, which was answered or cancelled; returns what it was. */
  synchronized State remove(JsonNode id) {
    State state = states.remove(id);
    return state == null ? State.UNKNOWN : state;
  }

  /** Sends no more requests; returns those that the endpoint works on, and forgets all. */
  synchronized List<JsonNode> close() {
    closed = true;
    List<JsonNode> sent = new ArrayList<>();
    states.forEach(
        (id, state) -> {
          if (state == State.SENT) {
            sent.add(id);
          }
        });
    states.clear();
    return sent;
  }
}
