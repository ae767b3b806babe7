package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunReport;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunText;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.ToolUse;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.Optional;

/** {@code get_run}: the status of a run and what it has printed. */
public final class GetRun implements Tool {
  private static final Parameter<Integer> WAIT =
      Parameter.withDefault(
          "wait_seconds", ArgumentTypes.integer(0, Bounds.MAX_TIMEOUT_SECONDS), 0);

  private static final Parameter<Optional<Integer>> OFFSET =
      Parameter.optional("offset", ArgumentTypes.notNegative())
          .describedAs("Output from this byte on");
  private static final Parameter<Integer> ROW_OFFSET =
      Parameter.withDefault("offset", ArgumentTypes.notNegative(), 0);
  private static final Parameter<Integer> ROW_LIMIT =
      Parameter.withDefault("limit", ArgumentTypes.integer(1, 1000), 100);
  private static final Parameters ROW_PARAMETERS = Parameters.of(ROW_OFFSET, ROW_LIMIT);
  private static final Parameter<Optional<Arguments>> ROWS =
      Parameter.optional("rows", ArgumentTypes.objectOf(ROW_PARAMETERS, new Limit(1024)));

  /** The wait ends before. */
  private static final Duration SLACK = Duration.ofMinutes(1);

  private final RunGateway runs;
  private final ToolUse toolUse;
  private final RunWait runWait;
  private final RunReplies replies;
  private final Parameter<Integer> maxTokens;
  private final ToolDescription description;

  /** The tool. */
  public GetRun(RunGateway runs, RunClasses classes, RunWait runWait, RunReplies replies) {
    this.runs = runs;
    this.toolUse = new ToolUse(runs, classes);
    this.runWait = runWait;
    this.replies = replies;
    this.maxTokens = MaxTokens.of(replies.defaultTokens());
    this.description =
        new ToolDescription(
            "get_run",
            "Show a run",
            """
            Shows one run (job, execution): status, whether it has finished or why it failed, how \
            long it took, output, logs, next rows (page) of its result. For replies that were lost \
            or cut (truncated), or a run that continues.\
            """,
            Parameters.of(NamedRun.NAME, WAIT, OFFSET, ROWS, maxTokens),
            RunReport.class,
            ToolDescription.Effects.READS,
            MethodKind.CALL);
  }

  @Override
  public ToolDescription description() {
    return description;
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    String name = arguments.get(NamedRun.NAME);
    if (arguments.get(OFFSET).isPresent() && arguments.get(ROWS).isPresent()) {
      throw BadArgumentException.value("'offset' and 'rows' exclude each other");
    }
    Patience patience = Patience.of(Duration.ofSeconds(arguments.get(WAIT)));
    Optional<AnalyticsRun> found = NamedRun.find(name, runs, call);
    if (found.isPresent() && !RunState.hasEnded(found.get()) && !patience.isOver()) {
      found = awaited(found.get(), patience, call);
    }
    if (found.isEmpty()) {
      return NamedRun.notThere(name);
    }
    AnalyticsRun run = found.get();
    return shown(run, arguments, call).marked(toolUse.isUntrusted(run));
  }

  private Reply shown(AnalyticsRun run, Arguments arguments, CallContext call)
      throws InterruptedException {
    Optional<Integer> offset = arguments.get(OFFSET);
    Optional<Arguments> rows = arguments.get(ROWS);
    int tokens = arguments.get(maxTokens);
    if (rows.isPresent()) {
      int first = rows.get().get(ROW_OFFSET);
      int limit = rows.get().get(ROW_LIMIT);
      Optional<Reply> page = replies.rows(run, first, limit, tokens, call.memory());
      if (page.isPresent()) {
        return page.get();
      }
      if (!RunState.hasEnded(run) || RunState.phaseOf(run) == RunPhase.Succeeded) {
        return RunText.withoutRows(run);
      }
      // Whoever waits for the rows of a query has not seen its error yet.
    }
    if (offset.isPresent()) {
      return replies.page(run, offset.get(), tokens, call.memory());
    }
    return RunState.hasEnded(run)
        ? replies.ended(run, tokens, call.memory())
        : replies.underWay(run, tokens, call.memory());
  }

  /** The run when it has ended or the wait is over; empty where it was deleted meanwhile. */
  private Optional<AnalyticsRun> awaited(AnalyticsRun run, Patience patience, CallContext call)
      throws InterruptedException {
    RunOutcome outcome = runWait.follow(run, patience.duration().plus(SLACK), patience, call);
    return outcome instanceof RunOutcome.Deleted ? Optional.empty() : Optional.of(outcome.run());
  }
}
