package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.ToolCallCounts;
import java.util.List;
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
  /** Of runs that read files of earlier ones; nobody follows a longer chain to its beginning. */
  private static final int MAX_CHAIN = 8;

  private final RunGateway runs;
  private final RunClasses classes;

  /** Looks up the earlier runs that a run has read files of, and classes. */
  public ToolUse(RunGateway runs, RunClasses classes) {
    this.runs = runs;
    this.classes = classes;
  }

  /**
   * Whether words of other servers may be in what a run returned or left: it may have called tools,
   * or one of the runs whose files it read, as far as they are known.
   */
  public boolean isIn(AnalyticsRun run) {
    return isIn(run, MAX_CHAIN);
  }

  private boolean isIn(AnalyticsRun run, int chain) {
    if (isPossible(run, classes)) {
      return true;
    }
    List<RunInput> inputs = run.getSpec().inputs();
    if (inputs == null || inputs.isEmpty()) {
      return false;
    }
    return chain == 0
        || inputs.stream()
            .map(RunInput::run)
            .distinct()
            .map(name -> runs.read(run.getMetadata().getNamespace(), name))
            .anyMatch(read -> read.isEmpty() || isIn(read.get(), chain - 1));
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
