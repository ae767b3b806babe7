package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The beginning of what a script printed, line by line (pure). */
final class ScriptLogs {
  private static final int MAX_LINES = 100;
  private static final int MAX_BYTES = 8 * 1024;

  private ScriptLogs() {}

  /** The first lines; a further one says where the others are. */
  static List<String> of(AnalyticsRun run) {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null || result.output() == null || result.output().isEmpty()) {
      return List.of();
    }
    String head = Text.prefix(result.output(), MAX_BYTES);
    List<String> lines = new ArrayList<>(Text.clean(head).lines().limit(MAX_LINES + 1L).toList());
    boolean more = Text.bytes(head) < result.outputBytes() || lines.size() > MAX_LINES;
    if (lines.size() > MAX_LINES) {
      lines.removeLast();
    }
    if (more) {
      lines.add(
          "[%d bytes in all; get_run(name=\"%s\") shows them]"
              .formatted(result.outputBytes(), run.getMetadata().getName()));
    }
    return lines;
  }
}
