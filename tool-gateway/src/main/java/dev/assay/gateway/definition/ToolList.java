package dev.assay.gateway.definition;

import dev.assay.api.text.EditDistance;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The tools that a server lists and that its spec does not hide, by name. Pure. */
public final class ToolList {
  private static final int NEAR = 3;

  /** The time to compare two names grows with the product of their lengths. */
  private static final int MAX_COMPARED = 64;

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
        throw new InvalidListException("two tools have the same name");
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

  /**
   * The names that are most like a name that there is not, at most three; none for a long name.
   *
   * @param named the tools whose names may be told
   */
  public List<String> near(String name, Predicate<ToolDefinition> named) {
    if (name.length() > MAX_COMPARED) {
      return List.of();
    }
    return tools.keySet().stream()
        .filter(known -> Math.abs(known.length() - name.length()) <= tolerance(known))
        .map(known -> new Near(known, EditDistance.between(name, known)))
        .filter(near -> near.distance <= tolerance(near.name))
        .filter(near -> find(near.name).filter(named).isPresent())
        .sorted(Comparator.comparingInt(Near::distance))
        .limit(NEAR)
        .map(Near::name)
        .toList();
  }

  private record Near(String name, int distance) {}

  private static int tolerance(String name) {
    return Math.max(2, name.length() / 3);
  }
}
