package dev.assay.gateway.call;

import java.util.HashMap;
import java.util.Map;

/**
 * The calls that are being made or wait for their turn. Neither one server nor one namespace can
 * take all the places: a server that does not reply holds up its own calls only.
 */
final class InFlight {
  static final int MAX = 512;
  private static final int MAX_OF_NAMESPACE = MAX / 2;
  private static final int MAX_OF_SERVER = MAX / 4;

  private final Map<ServerKey, Integer> ofServers = new HashMap<>();
  private final Map<String, Integer> ofNamespaces = new HashMap<>();
  private int total;

  /** Takes a place; false if there is none. */
  synchronized boolean enter(ServerKey server) {
    if (total >= MAX
        || ofServers.getOrDefault(server, 0) >= MAX_OF_SERVER
        || ofNamespaces.getOrDefault(server.namespace(), 0) >= MAX_OF_NAMESPACE) {
      return false;
    }
    total++;
    ofServers.merge(server, 1, Integer::sum);
    ofNamespaces.merge(server.namespace(), 1, Integer::sum);
    return true;
  }

  /** Gives a place back. */
  synchronized void leave(ServerKey server) {
    total--;
    ofServers.computeIfPresent(server, (key, count) -> count == 1 ? null : count - 1);
    ofNamespaces.computeIfPresent(
        server.namespace(), (key, count) -> count == 1 ? null : count - 1);
  }

  synchronized int total() {
    return total;
  }
}
