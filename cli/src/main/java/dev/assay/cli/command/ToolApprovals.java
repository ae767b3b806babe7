package dev.assay.cli.command;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import java.util.ArrayList;
import java.util.List;

/** Approves one definition of a tool that somebody has read, and no other (pure). */
final class ToolApprovals {
  private ToolApprovals() {}

  /** It cannot be approved; the message says why. */
  static final class NotApprovableException extends Exception {
    private static final long serialVersionUID = 1L;

    NotApprovableException(String message) {
      super(message);
    }
  }

  /**
   * What the spec of a server approves with one more definition.
   *
   * @param digest of the definition that was read: the server may list another one by now
   */
  static List<ApprovedTool> of(ToolServer server, String tool, String digest)
      throws NotApprovableException {
    String name = server.getMetadata().getName();
    if (server.getSpec().approval() == Approval.None) {
      throw new NotApprovableException(
          "the approval of " + name + " is None: whatever it lists can be called");
    }
    ToolState listed =
        (server.getStatus() == null ? ToolServerStatus.EMPTY : server.getStatus())
            .toolList().stream()
                .filter(one -> one.digest() != null && one.name().equals(tool))
                .findFirst()
                .orElseThrow(
                    () ->
                        new NotApprovableException(
                            "%s lists no tool '%s'; 'assay tools describe %s' shows them"
                                .formatted(name, tool, name)));
    if (!digest.equals(listed.digest())) {
      throw new NotApprovableException(
          ("%s does not list a definition of '%s' with this digest; 'assay tools describe %s %s'"
                  + " shows the one that it lists, with its digest")
              .formatted(name, tool, name, tool));
    }
    List<ApprovedTool> approved = new ArrayList<>(server.getSpec().approvedList());
    approved.removeIf(one -> one.name().equals(tool));
    approved.add(new ApprovedTool(tool, digest));
    return approved;
  }
}
