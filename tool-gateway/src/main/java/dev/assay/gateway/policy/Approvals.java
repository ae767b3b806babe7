package dev.assay.gateway.policy;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.gateway.definition.ToolDefinition;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which definitions of a tool server have been approved, by its status. Pure. */
public final class Approvals {
  private Approvals() {}

  /** The digests of all definitions of a server that have been approved. */
  public static Set<String> digests(ToolServer server) {
    Stream<@Nullable String> known =
        server.getStatus() == null
            ? Stream.of()
            : server.getStatus().toolList().stream()
                .flatMap(state -> Stream.of(state.approvedDigest(), state.baselineDigest()));
    return Stream.concat(
            known.flatMap(Stream::ofNullable),
            server.getSpec().approvedList().stream().map(ApprovedTool::digest))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether a definition has been approved, or needs no approval. */
  public static boolean has(ToolServer server, ToolDefinition tool) {
    return server.getSpec().approval() == Approval.None
        || (server.getStatus() != null
            && server.getStatus().toolList().stream()
                .anyMatch(
                    state ->
                        state.name().equals(tool.name())
                            && tool.digest().equals(state.approvedDigest())));
  }
}
