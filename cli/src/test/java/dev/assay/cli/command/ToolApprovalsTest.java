package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.api.v1alpha1.ToolServerStatusBuilder;
import dev.assay.api.v1alpha1.ToolStateBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ToolApprovalsTest {
  private static final ToolServer SERVER =
      server(
          Approval.Baseline,
          List.of(new ApprovedTool("changed", "old"), new ApprovedTool("other", "o")),
          tool("good", "g", "g"),
          tool("new", "n", null),
          tool("changed", "c", "old"),
          tool("gone", null, "x"));

  @Test
  void theDefinitionThatWasReadIsApprovedInPlaceOfTheOneBefore() throws Exception {
    assertThat(ToolApprovals.of(SERVER, "new", "n"))
        .containsExactly(
            new ApprovedTool("changed", "old"),
            new ApprovedTool("other", "o"),
            new ApprovedTool("new", "n"));
    assertThat(ToolApprovals.of(SERVER, "changed", "c"))
        .containsExactly(new ApprovedTool("other", "o"), new ApprovedTool("changed", "c"));
  }

  @Test
  void anotherDefinitionThanTheOneThatWasReadIsNotApproved() {
    for (String digest : List.of("old", "", "C", "cc")) {
      assertThatThrownBy(() -> ToolApprovals.of(SERVER, "changed", digest))
          .as(digest)
          .hasMessage(
              "github does not list a definition of 'changed' with this digest; 'assay tools"
                  + " describe github changed' shows the one that it lists, with its digest");
    }
  }

  @Test
  void whatCannotBeApprovedIsExplained() {
    assertThatThrownBy(() -> ToolApprovals.of(SERVER, "gone", "x"))
        .hasMessage("github lists no tool 'gone'; 'assay tools describe github' shows them");
    assertThatThrownBy(() -> ToolApprovals.of(server(Approval.None, List.of()), "a", "d"))
        .hasMessage("the approval of github is None: whatever it lists can be called");
  }

  private static ToolState tool(
      String name, @Nullable String digest, @Nullable String approvedDigest) {
    return ToolStateBuilder.builder()
        .name(name)
        .digest(digest)
        .approvedDigest(approvedDigest)
        .approval(ToolApproval.Pending)
        .permission(ToolPermission.READ)
        .build();
  }

  private static ToolServer server(
      Approval approval, List<ApprovedTool> approved, ToolState... tools) {
    ToolServer server = new ToolServer();
    server.setMetadata(new ObjectMetaBuilder().withName("github").build());
    server.setSpec(
        ToolServerSpecBuilder.builder()
            .url("https://example.com/mcp")
            .protocol(ToolServerSpec.Protocol.StreamableHttp)
            .approval(approval)
            .approvedTools(approved)
            .session(ToolServerSpec.Session.Shared)
            .build());
    server.setStatus(ToolServerStatusBuilder.builder().tools(List.of(tools)).build());
    return server;
  }
}
