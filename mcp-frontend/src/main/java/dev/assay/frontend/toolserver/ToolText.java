package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What an agent reads of tools, within a number of tokens. */
public final class ToolText {
  private static final int MAX_SIGNATURE = 2_000;
  private static final int MAX_DESCRIPTION = 4_000;
  private static final int MAX_CONNECTING = 10;

  /** Behind a call. */
  private static final String CHANGED =
      " [changed since it was approved: calls return TOOL_NOT_APPROVED]";

  /** For the line about what was left out. */
  private static final int LAST_LINE_TOKENS = 30;

  private final ToolSignatures signatures;

  public ToolText(ToolSignatures signatures) {
    this.signatures = signatures;
  }

  /** The servers, each in a line. */
  public static String servers(ToolCatalog catalog, int maxTokens) {
    List<String> servers = catalog.servers();
    if (servers.isEmpty()) {
      return "There are no tools that scripts may call." + connectingLine(catalog);
    }
    List<String> lines = new ArrayList<>();
    for (String server : servers) {
      lines.add(server + ": " + counts(catalog.of(server)));
    }
    return within(
            maxTokens,
            servers.size() + (servers.size() == 1 ? " server" : " servers"),
            lines,
            "servers")
        + connectingLine(catalog);
  }

  /** A line about servers that have not listed their tools yet; empty where all have. */
  public static String connectingLine(ToolCatalog catalog) {
    List<String> servers = catalog.connecting();
    return servers.isEmpty()
        ? ""
        : servers.stream()
                .limit(MAX_CONNECTING)
                .collect(Collectors.joining(", ", "\n[still connecting: ", ""))
            + (servers.size() > MAX_CONNECTING ? ", …" : "")
            + "; retry in a few seconds]";
  }

  private static String counts(List<CallableTool> tools) {
    Map<ToolPermission, Integer> counts = new EnumMap<>(ToolPermission.class);
    for (CallableTool tool : tools) {
      if (tool.permission() != null) {
        counts.merge(tool.permission(), 1, Integer::sum);
      }
    }
    String all = tools.size() + (tools.size() == 1 ? " tool" : " tools");
    return counts.isEmpty()
        ? all
        : counts.entrySet().stream()
            .map(one -> one.getValue() + " " + one.getKey().wireName())
            .collect(Collectors.joining(", ", all + " (", ")"));
  }

  /** The tools that a search has found, each in a line. */
  public String found(String namespace, List<CallableTool> tools, int maxTokens)
      throws InterruptedException {
    List<String> lines = new ArrayList<>();
    int tokens = 0;
    for (CallableTool tool : tools) {
      if (tokens > maxTokens) {
        break; // No definition is read that is not shown.
      }
      String line = line(tool, signatures.of(namespace, tool));
      tokens += TokenEstimate.of(line);
      lines.add(line);
    }
    return within(
        maxTokens,
        tools.size() + (tools.size() == 1 ? " tool" : " tools"),
        lines,
        tools.size(),
        "tools");
  }

  /** A tool with its whole description. */
  public String described(String namespace, CallableTool tool) throws InterruptedException {
    Optional<ToolSignature> signature = signatures.of(namespace, tool);
    return signature
        .map(one -> signature(tool, one) + described(one.description()))
        .orElseGet(() -> line(tool, signature));
  }

  private static String described(String description) {
    String shown = Text.prefix(description, MAX_DESCRIPTION);
    return shown.isEmpty()
        ? ""
        : "\n  " + shown.replace("\n", "\n  ") + (shown.length() < description.length() ? "…" : "");
  }

  private static String line(CallableTool tool, Optional<ToolSignature> signature) {
    return signature
            .map(one -> signature(tool, one))
            .orElse("call_tool(\"" + tool.server() + "\", " + name(tool) + ", ...)" + state(tool))
        + (tool.summary().isEmpty() ? "" : " // " + tool.summary());
  }

  /** As a call, so that it can be copied. */
  private static String signature(CallableTool tool, ToolSignature signature) {
    String result = signature.result().isEmpty() ? "" : ": " + signature.result();
    return Text.oneLine(
            "call_tool(\"%s\", %s, %s)%s"
                .formatted(tool.server(), name(tool), signature.arguments(), result),
            MAX_SIGNATURE)
        + state(tool);
  }

  private static String state(CallableTool tool) {
    return tool.isChanged() ? CHANGED : "";
  }

  private static String name(CallableTool tool) {
    return "\"" + Text.oneLine(tool.name(), 128).replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String within(int maxTokens, String head, List<String> lines, String plural) {
    return within(maxTokens, head, lines, lines.size(), plural);
  }

  /**
   * As many lines as there are tokens for.
   *
   * @param total how many lines there would be
   */
  public static String within(
      int maxTokens, String head, List<String> lines, int total, String plural) {
    StringBuilder text = new StringBuilder(head).append(':');
    int left = maxTokens - LAST_LINE_TOKENS - TokenEstimate.of(head);
    int shown = 0;
    for (String line : lines) {
      left -= TokenEstimate.of(line) + 1;
      if (left < 0) {
        break;
      }
      text.append('\n').append(line);
      shown++;
    }
    return shown == total
        ? text.toString()
        : text + "\n[" + (total - shown) + " more " + plural + " left out; max_tokens shows more]";
  }
}
