package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.operator.pod.PodText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which definitions of the tools of a server are approved. */
final class ToolApprovals {
  /** Of a description, for its summary: more than that, so that it is known whether it goes on. */
  private static final int MAX_READ = 2 * Bounds.MAX_TOOL_SUMMARY;

  /** Where the text is cut after a sentence or a word, so much of it is kept. */
  private static final int MIN_SUMMARY = Bounds.MAX_TOOL_SUMMARY / 4;

  private ToolApprovals() {}

  /**
   * The states of the tools of a server.
   *
   * @param before its status until now; the first list of a server with approval Baseline becomes
   *     what is trusted, so that a status without tools trusts anew
   * @param listed what it lists now
   */
  static List<ToolState> states(
      ToolServerSpec spec, ToolServerStatus before, List<ListedTools.Definition> listed) {
    boolean isFirst = before.tools() == null && spec.approval() == Approval.Baseline;
    Map<String, ToolState> known = new HashMap<>();
    before.toolList().forEach(state -> known.put(state.name(), state));
    List<ToolState> states = new ArrayList<>();
    for (ListedTools.Definition tool : listed) {
      ToolState earlier = known.remove(tool.name());
      String baseline = isFirst ? tool.digest() : earlier == null ? null : earlier.baselineDigest();
      states.add(state(spec, tool, baseline, earlier));
    }
    states.sort(Comparator.comparing(ToolState::name));
    // What comes back as it was is trusted as it was, so that it is remembered while it is away.
    known.values().stream()
        .filter(state -> state.baselineDigest() != null)
        .sorted(Comparator.comparing(ToolState::name))
        .limit(Math.max(0, Bounds.MAX_TOOLS - states.size()))
        .map(
            state ->
                new ToolState(
                    state.name(),
                    null,
                    state.approvedDigest(),
                    null,
                    null,
                    state.summary(),
                    state.baselineDigest()))
        .forEach(states::add);
    return List.copyOf(states);
  }

  private static ToolState state(
      ToolServerSpec spec,
      ListedTools.Definition tool,
      @Nullable String baseline,
      @Nullable ToolState earlier) {
    Set<String> trusted = trusted(spec, tool.name(), baseline);
    boolean isApproved = spec.approval() == Approval.None || trusted.contains(tool.digest());
    String approved =
        isApproved ? tool.digest() : trusted.stream().reduce((a, b) -> b).orElse(null);
    ToolApproval approval =
        isApproved
            ? ToolApproval.Approved
            : approved == null ? ToolApproval.Pending : ToolApproval.Changed;
    return new ToolState(
        tool.name(),
        tool.digest(),
        approved,
        approval,
        tool.permission(),
        isApproved ? summary(tool.description()) : earlierSummary(approved, earlier),
        baseline);
  }

  /** The digests of a tool that may be called, the one that was added last at the end. */
  private static Set<String> trusted(ToolServerSpec spec, String tool, @Nullable String baseline) {
    Set<String> trusted = new LinkedHashSet<>();
    if (baseline != null && spec.approval() == Approval.Baseline) {
      trusted.add(baseline);
    }
    for (ApprovedTool approved : spec.approvedList()) {
      if (approved.name().equals(tool)) {
        trusted.add(approved.digest());
      }
    }
    return trusted;
  }

  /** What has not been approved is not shown. */
  private static @Nullable String earlierSummary(
      @Nullable String approved, @Nullable ToolState earlier) {
    return earlier != null && approved != null && approved.equals(earlier.approvedDigest())
        ? earlier.summary()
        : null;
  }

  private static @Nullable String summary(@Nullable String description) {
    String line = PodText.line(description, MAX_READ).strip();
    String summary =
        line.length() <= Bounds.MAX_TOOL_SUMMARY
            ? line
            : shortened(PodText.line(line, Bounds.MAX_TOOL_SUMMARY));
    return summary.isEmpty() ? null : summary;
  }

  /** Whole sentences of a text that goes on; if they are too short, whole words. */
  private static String shortened(String beginning) {
    int sentences = beginning.lastIndexOf(". ");
    if (sentences >= MIN_SUMMARY) {
      return beginning.substring(0, sentences + 1);
    }
    int words = beginning.lastIndexOf(' ');
    return words >= MIN_SUMMARY ? beginning.substring(0, words) + "…" : beginning;
  }

  /**
   * The digest of the definition of a tool that may be called now, by the current spec; empty if
   * there is none, and where none is needed.
   */
  static Optional<String> approvedDigest(ToolServer server, String tool) {
    ToolServerSpec spec = server.getSpec();
    if (spec.approval() == Approval.None) {
      return Optional.empty();
    }
    ToolServerStatus status =
        server.getStatus() == null ? ToolServerStatus.EMPTY : server.getStatus();
    Optional<ToolState> state =
        status.toolList().stream().filter(known -> known.name().equals(tool)).findFirst();
    Set<String> trusted = trusted(spec, tool, state.map(ToolState::baselineDigest).orElse(null));
    Optional<String> live = state.map(ToolState::digest).filter(trusted::contains);
    return live.or(() -> trusted.stream().reduce((a, b) -> b));
  }
}
