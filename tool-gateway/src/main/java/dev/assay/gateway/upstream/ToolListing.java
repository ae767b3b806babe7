package dev.assay.gateway.upstream;

import dev.assay.gateway.definition.ToolList;

/**
 * What a server lists.
 *
 * @param serverName what it calls itself
 * @param serverVersion the version that it says it has
 * @param tools its tools
 */
public record ToolListing(String serverName, String serverVersion, ToolList tools) {}
