package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.watch.ClusterException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
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
   * files it read, may have called tools, or read a dataset that may contain such content. True if
   * that cannot be determined.
   */
  public boolean isUntrusted(AnalyticsRun run) {
    if (hasContentOfTools(run)) {
      return true;
    }
    String namespace = run.getMetadata().getNamespace();
    Set<String> seen = new HashSet<>();
    // References alone: a run can have a megabyte.
    Deque<PinnedInput> left = new ArrayDeque<>(RunState.statusOf(run).inputList());
    while (!left.isEmpty()) {
      PinnedInput input = left.remove();
      if (!seen.add(input.uid())) {
        continue;
      }
      Optional<AnalyticsRun> read =
          seen.size() > MAX_EARLIER ? Optional.empty() : read(namespace, input);
      if (read.isEmpty() || hasContentOfTools(read.get())) {
        return true;
      }
      left.addAll(RunState.statusOf(read.get()).inputList());
    }
    return false;
  }

  /** Empty where the run cannot be read, or another has its name now. */
  private Optional<AnalyticsRun> read(String namespace, PinnedInput input) {
    try {
      return runs.read(namespace, input.run())
          .filter(run -> input.uid().equals(run.getMetadata().getUid()));
    } catch (ClusterException e) {
      return Optional.empty(); // The answer does not depend on it: it is marked.
    }
  }

  private boolean hasContentOfTools(AnalyticsRun run) {
    return isPossible(run, classes)
        || RunState.statusOf(run).snapshotList().stream()
            .anyMatch(snapshot -> Boolean.TRUE.equals(snapshot.untrusted()));
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
