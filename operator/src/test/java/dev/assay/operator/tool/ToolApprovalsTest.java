package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ToolApprovalsTest {
  private static final ToolServerSpec BASELINE = spec(Approval.Baseline);
  private static final ToolServerSpec PINNED = spec(Approval.Pinned);

  @Test
  void theFirstListIsTrustedAndWhatComesLaterIsNot() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY, tool("find", "1"));
    assertThat(first).extracting(ToolState::approval).containsExactly(ToolApproval.Approved);
    List<ToolState> second = states(BASELINE, status(first), tool("find", "1"), tool("drop", "1"));
    assertThat(second)
        .extracting(ToolState::name, ToolState::approval, ToolState::approvedDigest)
        .containsExactly(
            tuple("drop", ToolApproval.Pending, null),
            tuple("find", ToolApproval.Approved, digest("1")));
  }

  @Test
  void anEmptyFirstListIsAFirstList() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY);
    assertThat(states(BASELINE, status(first), tool("find", "1")))
        .extracting(ToolState::approval)
        .containsExactly(ToolApproval.Pending);
  }

  @Test
  void aDefinitionThatChangesIsNotTrustedAndIsAgainOnceItIsAsItWas() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY, tool("find", "1"));
    List<ToolState> changed = states(BASELINE, status(first), tool("find", "2"));
    ToolState state = changed.getFirst();
    assertThat(state.approval()).isEqualTo(ToolApproval.Changed);
    assertThat(state.digest()).isEqualTo(digest("2"));
    assertThat(state.approvedDigest()).isEqualTo(digest("1"));
    assertThat(state.summary()).as("the approved text").isEqualTo("finds 1");
    assertThat(states(BASELINE, status(changed), tool("find", "1")).getFirst().approval())
        .isEqualTo(ToolApproval.Approved);
  }

  @Test
  void whatIsApprovedByDigestIsTrustedUntilItIsRemovedFromTheSpec() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY, tool("find", "1"));
    List<ToolState> approved =
        states(approving(BASELINE, "find", "2"), status(first), tool("find", "2"));
    assertThat(approved.getFirst().approval()).isEqualTo(ToolApproval.Approved);
    assertThat(approved.getFirst().approvedDigest()).isEqualTo(digest("2"));
    List<ToolState> revoked = states(BASELINE, status(approved), tool("find", "2"));
    assertThat(revoked.getFirst().approval()).isEqualTo(ToolApproval.Changed);
    assertThat(revoked.getFirst().approvedDigest()).isEqualTo(digest("1"));
  }

  @Test
  void aToolThatComesBackIsTrustedOnlyAsItWas() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY, tool("find", "1"));
    List<ToolState> away = states(BASELINE, status(first));
    assertThat(away.getFirst().digest()).isNull();
    assertThat(away.getFirst().approval()).isNull();
    assertThat(states(BASELINE, status(away), tool("find", "1")).getFirst().approval())
        .isEqualTo(ToolApproval.Approved);
    assertThat(states(BASELINE, status(away), tool("find", "2")).getFirst().approval())
        .isEqualTo(ToolApproval.Changed);
  }

  @Test
  void onlyDigestsThatAreNamedArePinned() {
    ToolServerSpec spec = approving(PINNED, "find", "1");
    List<ToolState> states =
        states(spec, ToolServerStatus.EMPTY, tool("find", "1"), tool("drop", "1"));
    assertThat(states)
        .extracting(ToolState::approval)
        .containsExactly(ToolApproval.Pending, ToolApproval.Approved);
    assertThat(states.getFirst().summary()).as("nobody has approved this text").isNull();
    assertThat(states(spec, status(states), tool("find", "2")).getFirst().approval())
        .isEqualTo(ToolApproval.Changed);
  }

  @Test
  void whatWasListedBeforeBaselineIsNotTrustedByIt() {
    List<ToolState> pinned = states(PINNED, ToolServerStatus.EMPTY, tool("find", "1"));
    assertThat(states(BASELINE, status(pinned), tool("find", "1")).getFirst().approval())
        .isEqualTo(ToolApproval.Pending);
  }

  @Test
  void withoutApprovalEverythingIsApprovedAndNothingIsCompared() {
    ToolServerSpec none = spec(Approval.None);
    List<ToolState> states = states(none, ToolServerStatus.EMPTY, tool("find", "1"));
    assertThat(states.getFirst().approval()).isEqualTo(ToolApproval.Approved);
    assertThat(ToolApprovals.approvedDigest(server(none, states), "find")).isEmpty();
  }

  @Test
  void aCallIsForTheDefinitionThatTheCurrentSpecApproves() {
    List<ToolState> first = states(BASELINE, ToolServerStatus.EMPTY, tool("find", "1"));
    List<ToolState> changed = states(BASELINE, status(first), tool("find", "2"));
    assertThat(approved(BASELINE, changed)).contains(digest("1"));
    assertThat(approved(approving(BASELINE, "find", "2"), changed))
        .as("before the status shows it")
        .contains(digest("2"));
    assertThat(ToolApprovals.approvedDigest(server(BASELINE, changed), "drop")).isEmpty();
    assertThat(ToolApprovals.approvedDigest(server(BASELINE, List.of()), "find")).isEmpty();
  }

  @Test
  void aSummaryIsOneShortLineWithoutControlCharacters() {
    assertThat(summary("a\u001b[1m\n" + "x".repeat(200))).startsWith("a\uFFFD[1m x").hasSize(120);
  }

  @Test
  void aSummaryEndsWithASentenceOrAWord() {
    String sentence = "Runs a query over all tables of the database.";
    String words = "which has no end ".repeat(10);
    assertThat(summary(sentence)).isEqualTo(sentence);
    assertThat(summary(sentence + " It " + words)).isEqualTo(sentence);
    assertThat(summary(words)).isEqualTo("which has no end ".repeat(7).strip() + "…");
    assertThat(summary("x".repeat(119) + " y")).isEqualTo("x".repeat(119) + "…");
  }

  private static String summary(String description) {
    ListedTools.Definition tool =
        new ListedTools.Definition(
            "find", digest("1"), ToolPermission.READ, description, new byte[0]);
    return ToolApprovals.states(BASELINE, ToolServerStatus.EMPTY, List.of(tool))
        .getFirst()
        .summary();
  }

  private static Optional<String> approved(ToolServerSpec spec, List<ToolState> states) {
    return ToolApprovals.approvedDigest(server(spec, states), "find");
  }

  private static ToolServer server(ToolServerSpec spec, List<ToolState> states) {
    ToolServer server = new ToolServer();
    server.setSpec(spec);
    server.setStatus(status(states));
    return server;
  }

  static ToolServerSpec spec(Approval approval) {
    return ToolServerSpecBuilder.builder()
        .url("https://crm.example/mcp")
        .protocol(ToolServerSpec.Protocol.StreamableHttp)
        .session(ToolServerSpec.Session.Shared)
        .approval(approval)
        .build();
  }

  private static ToolServerSpec approving(ToolServerSpec spec, String tool, String version) {
    return ToolServerSpecBuilder.builder(spec)
        .approvedTools(List.of(new ApprovedTool(tool, digest(version))))
        .build();
  }

  private static ToolServerStatus status(List<ToolState> tools) {
    return ToolServerStatus.EMPTY.withTools(tools);
  }

  private static List<ToolState> states(
      ToolServerSpec spec, ToolServerStatus before, ListedTools.Definition... listed) {
    return ToolApprovals.states(spec, before, List.of(listed));
  }

  static String digest(String version) {
    return Sha256.hex(version);
  }

  static ListedTools.Definition tool(String name, String version) {
    return new ListedTools.Definition(
        name,
        digest(version),
        ToolPermission.READ,
        "finds " + version,
        ("{\"name\":\"" + name + "\",\"version\":" + version + "}").getBytes(UTF_8));
  }
}
