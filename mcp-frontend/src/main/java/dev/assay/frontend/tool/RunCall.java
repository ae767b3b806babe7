package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.ToolUse;
import dev.assay.frontend.watch.Patience;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates a run for a call, waits for its end, and says what became of it. */
public final class RunCall {
  /**
   * Added when the code printed nothing and left no files. A block of its own, so that the text
   * stays exactly what was printed.
   */
  private static final ContentBlock NOTHING =
      new ContentBlock.Text("[the code printed nothing: print() what you want to see]");

  private final RunGateway runs;
  private final ToolUse toolUse;
  private final RunSubmission submission;
  private final OutputReader outputs;
  private final ReplyArtifacts artifacts;

  /**
   * Runs of one front end.
   *
   * @param names gives each run a name that no other has
   */
  public RunCall(
      RunGateway runs,
      RunClasses classes,
      RunWait runWait,
      OutputReader outputs,
      ReplyArtifacts artifacts,
      Supplier<String> names) {
    this.runs = runs;
    this.toolUse = new ToolUse(runs, classes);
    this.submission = new RunSubmission(runs, classes, runWait, names);
    this.outputs = outputs;
    this.artifacts = artifacts;
  }

  /** Where runs are. */
  RunGateway gateway() {
    return runs;
  }

  /** Whether what a run returned or left may contain content of tool servers. */
  boolean isUntrusted(AnalyticsRun run) {
    return toolUse.isUntrusted(run);
  }

  /** Tokens of a reply whose caller wants no other number of them. */
  int defaultTokens() {
    return outputs.defaultTokens();
  }

  /**
   * Runs code.
   *
   * @param spec with a class and a time limit
   * @param maxTokens of the reply
   * @param patience how long the call waits for the end of the run, which goes on after it
   */
  Reply run(AnalyticsRunSpec spec, int maxTokens, Patience patience, CallContext call)
      throws InterruptedException {
    return run(spec, maxTokens, patience, call, (run, reply, output) -> reply);
  }

  /** What is made of the text about a run that has ended. */
  @FunctionalInterface
  interface Ending {
    /** What its caller should do next, in the last line of the text; empty for nothing. */
    default Optional<String> advice(AnalyticsRun run) {
      return Optional.empty();
    }

    /**
     * The reply.
     *
     * @param reply as text
     * @param output what the run printed, as that text has it
     */
    Reply of(AnalyticsRun run, Reply reply, String output) throws InterruptedException;
  }

  /** The same with more than text about the end. */
  Reply run(
      AnalyticsRunSpec spec, int maxTokens, Patience patience, CallContext call, Ending ending)
      throws InterruptedException {
    if (call.cancellation().isCancelled()) {
      return Reply.executionError("Cancelled", "The call was cancelled before it ran");
    }
    RunOutcome outcome = outcome(spec, patience, call);
    return switch (outcome) {
      case RunOutcome.Ended ended -> ended(ended.run(), maxTokens, call, ending);
      case RunOutcome.Deleted deleted -> RunReply.deleted(deleted.run());
      case RunOutcome.NotWanted notWanted -> RunReply.notWanted(notWanted.run());
      case RunOutcome.InProgress inProgress ->
          RunReply.inProgress(inProgress.run(), patience.duration().toSeconds());
      case RunOutcome.Abandoned abandoned -> RunReply.abandoned(abandoned.run());
      case RunOutcome.Overdue overdue ->
          RunReply.overdue(overdue.run(), submission.boundOf(spec).toSeconds());
    };
  }

  private Reply ended(AnalyticsRun run, int maxTokens, CallContext call, Ending ending)
      throws InterruptedException {
    String advice = ending.advice(run).map(line -> "\n" + line).orElse("");
    String output = outputs.beside(advice, run, maxTokens, call.memory()).text();
    Reply ended = RunReply.ended(run, output).mapText(text -> below(text, advice));
    Reply reply = ending.of(run, ended, output);
    Reply whole = artifacts.addedTo(reply, run, call.memory());
    return (isSilent(run, whole) ? whole.withFurther(List.of(NOTHING)) : whole)
        .marked(toolUse.isUntrusted(run));
  }

  private static boolean isSilent(AnalyticsRun run, Reply whole) {
    @Nullable String code = run.getSpec().code();
    return RunState.phaseOf(run) == RunPhase.Succeeded
        && whole.text().isEmpty()
        && whole.content().size() == 1
        && code != null
        && !code.isBlank();
  }

  /** Without an empty line between them. */
  private static String below(String text, String advice) {
    return text.isEmpty() || text.endsWith("\n") ? text + advice.stripLeading() : text + advice;
  }

  /**
   * Creates a run and waits for it.
   *
   * @param spec with a class and a time limit; what it does not have is added
   * @param patience how long the call waits for the end of the run, which goes on after it
   */
  RunOutcome outcome(AnalyticsRunSpec spec, Patience patience, CallContext call)
      throws InterruptedException {
    return submission.execute(spec, patience, call);
  }

  /** What is known of a call that a failure broke off. */
  static String afterFailure(CallContext call) {
    CallRun run = call.run().get();
    return run == null
        ? "Nothing was started: retrying is safe."
        : "Whether the run "
            + run.name()
            + " was started is not known: get_run shows it if it was.";
  }
}
