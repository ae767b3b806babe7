package dev.assay.gateway.definition;

import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The tools that a server lists and that its spec does not hide, by name. Pure. */
public final class ToolList {
  private static final int NEAR = 3;

  private final Map<String, ToolDefinition> tools;

  private ToolList(Map<String, ToolDefinition> tools) {
    this.tools = tools;
  }

  /**
   * The tools that the rules let through.
   *
   * @throws InvalidListException if two of the definitions have the same name
   */
  public static ToolList of(List<ToolDefinition> listed, ToolRules rules)
      throws InvalidListException {
    Map<String, ToolDefinition> all = new TreeMap<>();
    for (ToolDefinition tool : listed) {
      if (all.put(tool.name(), tool) != null) {
        throw new InvalidListException("two tools have the name " + tool.name());
      }
    }
    all.keySet().removeIf(name -> !isShown(name, rules));
    return new ToolList(all);
  }

  private static boolean isShown(String name, ToolRules rules) {
    boolean allowed =
        rules.allow() == null
            || rules.allow().stream().anyMatch(pattern -> ToolPattern.matches(pattern, name));
    boolean denied =
        rules.deny() != null
            && rules.deny().stream().anyMatch(pattern -> ToolPattern.matches(pattern, name));
    return allowed && !denied;
  }

  /** The tool with a name. */
  public Optional<ToolDefinition> find(String name) {
    return Optional.ofNullable(tools.get(name));
  }

  /** All tools, by name. */
  public List<ToolDefinition> all() {
    return List.copyOf(tools.values());
  }

  /** The names that are most like a name that there is not, at most three. */
  public List<String> near(String name) {
    return tools.keySet().stream()
        .filter(known -> distance(name, known) <= Math.max(2, known.length() / 3))
        .sorted(Comparator.comparingInt(known -> distance(name, known)))
        .limit(NEAR)
        .toList();
  }

  /** How many characters are to be inserted, removed or replaced. */
  private static int distance(String one, String other) {
    int[] before = new int[other.length() + 1];
    for (int j = 0; j < before.length; j++) {
      before[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[before.length];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, Math.min(before[j], row[j - 1]) + 1);
      }
      before = row;
    }
    return before[other.length()];
  }
}
