package dev.assay.cli.client;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The ids of requests that the endpoint was sent and has not answered. */
final class PendingRequests {
  private final Set<JsonNode> ids = new LinkedHashSet<>();
  private boolean closed;

  /** Adds the requests of a message; returns false after {@link #close}. */
  synchronized boolean add(List<JsonNode> some) {
    if (!closed) {
      ids.addAll(some);
    }
    return !closed;
  }

  synchronized void remove(List<JsonNode> some) {
    some.forEach(ids::remove);
  }

  /** Accepts no more requests; returns those that were pending, which are forgotten. */
  synchronized List<JsonNode> close() {
    closed = true;
    List<JsonNode> pending = List.copyOf(ids);
    ids.clear();
    return pending;
  }
}
