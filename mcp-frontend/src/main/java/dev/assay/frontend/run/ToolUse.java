package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.watch.ClusterException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the code of a run may have called tools of other servers, so that their words may be in
 * what it leaves. A call that was refused counts: its error may say what a server said.
 *
 * <p>What a tool says with {@code openWorldHint: false} does not count. It is the word of its
 * server, it can change without an approval, since the digest of a definition does not have it, and
 * what comes out of a closed world may have been written by anybody, too.
 */
public final class ToolUse {
  /** How many earlier runs are read for one answer; of more, nobody knows. */
  private static final int MAX_EARLIER = 16;

  private final RunGateway runs;
  private final RunClasses classes;

  /** Looks up the earlier runs that a run has read files of, and classes. */
  public ToolUse(RunGateway runs, RunClasses classes) {
    this.runs = runs;
    this.classes = classes;
  }

  /**
   * Whether what a run returned or left may contain content of tool servers: the run, or one whose
   * files it read, may have called tools. True if that cannot be determined.
   */
  public boolean isUntrusted(AnalyticsRun run) {
    if (isPossible(run, classes)) {
      return true;
    }
    String namespace = run.getMetadata().getNamespace();
    Set<String> seen = new HashSet<>();
    // Names alone: a run can have a megabyte.
    Deque<String> left = new ArrayDeque<>(earlier(run));
    while (!left.isEmpty()) {
      String name = left.remove();
      if (!seen.add(name)) {
        continue;
      }
      Optional<AnalyticsRun> read =
          seen.size() > MAX_EARLIER ? Optional.empty() : read(namespace, name);
      if (read.isEmpty() || isPossible(read.get(), classes)) {
        return true;
      }
      left.addAll(earlier(read.get()));
    }
    return false;
  }

  private Optional<AnalyticsRun> read(String namespace, String name) {
    try {
      return runs.read(namespace, name);
    } catch (ClusterException e) {
      return Optional.empty(); // The answer does not depend on it: it is marked.
    }
  }

  /** The runs that a run has read files or frames of. */
  private static List<String> earlier(AnalyticsRun run) {
    List<RunInput> inputs = run.getSpec().inputs();
    return inputs == null ? List.of() : inputs.stream().map(RunInput::run).toList();
  }

  /** Whether a run may have called tools: it has, or it could and nobody knows. */
  private static boolean isPossible(AnalyticsRun run, RunClasses classes) {
    Language language = run.getSpec().language();
    return language.isScript()
        ? isPossible(run)
        : language == Language.PYTHON
            && isPossible(run)
            && (RunState.statusOf(run).toolCalls() != null || offersTools(run, classes));
  }

  /** The same of a run whose code has functions to call tools. */
  public static boolean isPossible(AnalyticsRun run) {
    @Nullable ToolCallCounts counts = RunState.statusOf(run).toolCalls();
    return counts == null
        ? RunState.statusOf(run).payloadStarted() != PayloadStarted.No
        : !counts.equals(ToolCallCounts.NONE);
  }

  /** Whether a class offers tools to Python; one that is not there any more may have done so. */
  private static boolean offersTools(AnalyticsRun run, RunClasses classes) {
    @Nullable String name = RunState.classOf(run);
    @Nullable RunClass found = name == null ? null : classes.find(name).orElse(null);
    return found == null || found.getSpec().offersToolsTo(Language.PYTHON);
  }
}
