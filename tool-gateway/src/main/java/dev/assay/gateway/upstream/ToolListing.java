package dev.assay.gateway.upstream;

import dev.assay.api.digest.Sha256;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.definition.ToolList;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * What a server lists.
 *
 * @param serverName what it calls itself
 * @param serverVersion the version that it says it has
 * @param tools its tools
 */
public record ToolListing(String serverName, String serverVersion, ToolList tools) {
  /**
   * The SHA-256, in hexadecimal, of all that it consists of. The digest of a definition has all but
   * its annotations.
   */
  String digest() {
    List<String> parts = new ArrayList<>(List.of(serverName, serverVersion));
    for (ToolDefinition tool : tools.all()) {
      JsonNode annotations = tool.annotations();
      parts.add(tool.digest());
      parts.add(annotations == null ? "" : Sha256.hex(Json.canonical(annotations)));
    }
    return Sha256.hex(Json.MAPPER.writeValueAsBytes(parts));
  }
}
