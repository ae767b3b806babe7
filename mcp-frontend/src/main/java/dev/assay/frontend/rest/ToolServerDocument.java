package dev.assay.frontend.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolCounts;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.frontend.run.Text;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a tool server. Its texts are its own: they are cleaned as those that agents
 * read.
 *
 * @param tools how many tools it has
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ToolServerDocument(
    String name,
    ToolServerPhase phase,
    @Nullable String message,
    @Nullable String serverName,
    @Nullable String serverVersion,
    ToolCounts tools) {
  private static final int MAX_MESSAGE = 1_000;

  static ToolServerDocument of(ToolServer server) {
    ToolServerStatus status =
        server.getStatus() == null ? ToolServerStatus.EMPTY : server.getStatus();
    return new ToolServerDocument(
        server.getMetadata().getName(),
        status.phase() == null ? ToolServerPhase.Pending : status.phase(),
        oneLine(status.message()),
        status.server() == null ? null : oneLine(status.server().name()),
        status.server() == null ? null : oneLine(status.server().version()),
        status.counts() == null ? ToolCounts.NONE : status.counts());
  }

  private static @Nullable String oneLine(@Nullable String text) {
    return text == null ? null : Text.visibleLine(text, MAX_MESSAGE);
  }

  /**
   * A tool of a server.
   *
   * @param digest of the definition that the server lists; absent where it lists none
   * @param approvedDigest of the definition that is approved; absent where none is
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Tool(
      String name,
      @Nullable ToolApproval approval,
      @Nullable ToolPermission permission,
      @Nullable String digest,
      @Nullable String approvedDigest,
      @Nullable String summary) {
    static Tool of(ToolState tool) {
      return new Tool(
          Text.visibleLine(tool.name(), MAX_MESSAGE),
          tool.approval(),
          tool.permission(),
          tool.digest(),
          tool.approvedDigest(),
          oneLine(tool.summary()));
    }
  }
}
