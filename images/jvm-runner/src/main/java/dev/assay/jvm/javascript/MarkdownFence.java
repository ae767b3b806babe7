package dev.assay.jvm.javascript;

import java.util.List;

/** The fence of Markdown that models write around code. */
final class MarkdownFence {
  private static final String FENCE = "```";

  private MarkdownFence() {}

  /**
   * Code without the fence that is around all of it. Lines keep their numbers; code without such a
   * fence, or with several, is left as it is.
   */
  static String removed(String code) {
    if (!code.stripLeading().startsWith(FENCE)) {
      return code;
    }
    List<String> lines = code.lines().toList();
    int first = 0;
    while (first < lines.size() && lines.get(first).isBlank()) {
      first++;
    }
    int last = lines.size() - 1;
    while (last > first && lines.get(last).isBlank()) {
      last--;
    }
    if (last <= first || !opens(lines.get(first)) || !lines.get(last).strip().equals(FENCE)) {
      return code;
    }
    List<String> inside = lines.subList(first + 1, last);
    if (inside.stream().anyMatch(line -> line.stripLeading().startsWith(FENCE))) {
      return code;
    }
    return "\n".repeat(first + 1) + String.join("\n", inside);
  }

  private static boolean opens(String line) {
    String stripped = line.strip();
    return stripped.startsWith(FENCE)
        && stripped.substring(FENCE.length()).chars().allMatch(Character::isLetter);
  }
}
