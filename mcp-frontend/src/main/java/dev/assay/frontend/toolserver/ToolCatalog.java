package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools that scripts of one caller may call, by server and name (pure). What is denied looks
 * like what does not exist.
 *
 * @param connecting names of the servers whose phase is Pending or unset, in order
 */
public record ToolCatalog(List<CallableTool> tools, List<String> connecting) {
  private static final int WORD_IN_NAME = 3;
  private static final int WORD_IN_SUMMARY = 1;
  private static final int MAX_WORDS = 16;

  public ToolCatalog {
    tools = List.copyOf(tools);
    connecting = List.copyOf(connecting);
  }

  /** Of the tools that some servers list. */
  public static ToolCatalog of(List<ToolServer> servers, ToolAccess access) {
    List<CallableTool> callable = new ArrayList<>();
    List<String> connecting = new ArrayList<>();
    for (ToolServer server : servers) {
      String name = server.getMetadata().getName();
      ToolServerSpec spec = server.getSpec();
      if (!spec.disabled() && !spec.inQuarantine() && access.includes(name)) {
        status(server).toolList().stream()
            .flatMap(tool -> callable(name, spec, tool))
            .filter(tool -> access.includes(tool.permission()))
            .forEach(callable::add);
        if (isConnecting(status(server))) {
          connecting.add(name);
        }
      }
    }
    callable.sort(Comparator.comparing(CallableTool::server).thenComparing(CallableTool::name));
    return new ToolCatalog(callable, connecting.stream().sorted().toList());
  }

  private static boolean isConnecting(ToolServerStatus status) {
    return status.phase() == null || status.phase() == ToolServerPhase.Pending;
  }

  static ToolServerStatus status(ToolServer server) {
    @Nullable ToolServerStatus status = server.getStatus();
    return status == null ? ToolServerStatus.EMPTY : status;
  }

  private static Stream<CallableTool> callable(String server, ToolServerSpec spec, ToolState tool) {
    boolean all = spec.approval() == ToolServerSpec.Approval.None;
    boolean isChanged = !all && tool.approval() == ToolApproval.Changed;
    String digest =
        all || tool.approval() == ToolApproval.Approved
            ? tool.digest()
            : isChanged ? tool.approvedDigest() : null;
    return digest == null
        ? Stream.empty()
        : Stream.of(
            new CallableTool(
                server,
                tool.name(),
                digest,
                tool.permission(),
                tool.summary() == null ? "" : Text.visibleLine(tool.summary(), 200),
                isChanged));
  }

  /** The names of the servers that have such tools. */
  public List<String> servers() {
    return tools.stream().map(CallableTool::server).distinct().toList();
  }

  /** The tools of a server. */
  public List<CallableTool> of(String server) {
    return tools.stream().filter(tool -> tool.server().equals(server)).toList();
  }

  /** A tool by its name. */
  public Optional<CallableTool> find(String server, String name) {
    return of(server).stream().filter(tool -> tool.name().equals(name)).findFirst();
  }

  /** What may have been meant by a name that is not there; empty where nothing is near. */
  public Optional<String> near(String server, String name) {
    List<String> names = of(server).stream().map(CallableTool::name).toList();
    return names.isEmpty()
        ? NearNames.closest(server, servers())
        : NearNames.closest(name, names).map(near -> server + " " + near);
  }

  /** The tools that have words of a query in their names or summaries, the best ones first. */
  public List<CallableTool> matching(String query) {
    List<String> words =
        Arrays.stream(query.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"))
            .filter(word -> !word.isEmpty())
            .limit(MAX_WORDS)
            .toList();
    return tools.stream()
        .filter(tool -> score(tool, words) > 0)
        .sorted(Comparator.comparingInt((CallableTool tool) -> -score(tool, words)))
        .toList();
  }

  private static int score(CallableTool tool, List<String> words) {
    String name = (tool.server() + " " + tool.name()).toLowerCase(Locale.ROOT);
    String summary = tool.summary().toLowerCase(Locale.ROOT);
    return words.stream()
        .mapToInt(
            word ->
                (name.contains(word) ? WORD_IN_NAME : 0)
                    + (summary.contains(word) ? WORD_IN_SUMMARY : 0))
        .sum();
  }
}
