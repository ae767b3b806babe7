package dev.assay.frontend.http;

import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.identity.Identity;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the headers say of a request.
 *
 * @param session what initialize handed out to the client; null where it sends none
 * @param disconnectCancels whether a lost connection cancels what it asks for
 * @param isRun whether it is the code of a run
 * @param groups of the tools that are there for it
 * @param traceId of the trace that the request is part of
 */
record McpCaller(
    Identity identity,
    @Nullable String session,
    Accepts accepts,
    boolean disconnectCancels,
    boolean isRun,
    Set<ToolGroup> groups,
    String traceId) {
  McpCaller {
    groups = Set.copyOf(groups);
  }
}
