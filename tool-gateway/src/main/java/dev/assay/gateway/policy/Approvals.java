package dev.assay.gateway.policy;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.gateway.definition.ToolDefinition;

/** Which definitions of a tool server have been approved, by its status. Pure. */
public final class Approvals {
  private Approvals() {}

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
