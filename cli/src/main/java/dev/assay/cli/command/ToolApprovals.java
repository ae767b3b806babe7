package dev.assay.cli.command;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The definitions that become approved, by what a server lists now (pure).
 *
 * @param tools those whose listed definition was not approved
 * @param approved what the spec has then
 */
record ToolApprovals(List<ToolState> tools, List<ApprovedTool> approved) {
  /** Nothing can be approved; the message says why. */
  static final class NotApprovableException extends Exception {
    private static final long serialVersionUID = 1L;

    NotApprovableException(String message) {
      super(message);
    }
  }

  /**
   * Approves what a server lists.
   *
   * @param tool the only tool that is meant; null for all
   */
  static ToolApprovals of(ToolServer server, @Nullable String tool) throws NotApprovableException {
    String name = server.getMetadata().getName();
    if (server.getSpec().approval() == Approval.None) {
      throw new NotApprovableException(
          "the approval of " + name + " is None: whatever it lists can be called");
    }
    List<ToolState> listed =
        (server.getStatus() == null ? ToolServerStatus.EMPTY : server.getStatus())
            .toolList().stream().filter(one -> one.digest() != null).toList();
    if (tool != null && listed.stream().noneMatch(one -> one.name().equals(tool))) {
      throw new NotApprovableException(
          name + " lists no tool '" + tool + "'; 'assay tools describe " + name + "' shows them");
    }
    List<ToolState> open =
        listed.stream()
            .filter(one -> tool == null || one.name().equals(tool))
            .filter(one -> !Objects.equals(one.digest(), one.approvedDigest()))
            .toList();
    List<ApprovedTool> approved = new ArrayList<>(server.getSpec().approvedList());
    approved.removeIf(one -> open.stream().anyMatch(tools -> tools.name().equals(one.name())));
    open.stream()
        .flatMap(
            one ->
                one.digest() == null
                    ? Stream.empty()
                    : Stream.of(new ApprovedTool(one.name(), one.digest())))
        .forEach(approved::add);
    return new ToolApprovals(open, approved);
  }
}
