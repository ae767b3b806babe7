package dev.assay.frontend.rest;

import dev.assay.frontend.identity.Identity;
import java.util.Map;

/**
 * A request that has found its route.
 *
 * @param identity who asks
 * @param requestId what the log, the run and an error's text call it
 * @param name the name in the path; empty where the path has none
 * @param query what follows the path
 * @param members of the body, as they came; empty where the route takes none
 */
public record RestRequest(
    Identity identity, String requestId, String name, Query query, Map<String, Object> members) {
  String namespace() {
    return identity.namespace();
  }
}
