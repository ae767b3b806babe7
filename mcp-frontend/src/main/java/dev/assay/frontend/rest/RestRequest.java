package dev.assay.frontend.rest;

import dev.assay.frontend.identity.Identity;
import java.util.Map;
import java.util.Optional;

/**
 * A request that has found its route.
 *
 * @param identity who asks
 * @param requestId what the log, the run and an error's text call it
 * @param name the name in the path; empty where the path has none
 * @param query what follows the path
 * @param members of the body, as they came; empty where the route takes none
 * @param raw the body where the route takes it as it comes
 */
public record RestRequest(
    Identity identity,
    String requestId,
    String name,
    Query query,
    Map<String, Object> members,
    Optional<RawBody> raw) {
  String namespace() {
    return identity.namespace();
  }
}
