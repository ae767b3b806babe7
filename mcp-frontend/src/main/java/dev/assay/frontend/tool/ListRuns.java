package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunList;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunText;
import java.util.Optional;

/** {@code list_runs}: the newest runs. */
public final class ListRuns implements Tool {
  private static final Parameter<Integer> LIMIT =
      Parameter.withDefault("limit", ArgumentTypes.integer(1, RunPage.MAX), 20);
  private static final Parameter<Optional<RunPhase>> PHASE =
      Parameter.optional(
          "phase", ArgumentTypes.choice(KnownValues.of(RunPhase.class), RunPhase::name));
  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "list_runs",
          "List runs",
          """
          Lists the last or recent runs (jobs, executions), a history, newest first, also of \
          others and those still running or failed, with phase, reason, dataset and time. To find \
          the name of an earlier one.\
          """,
          Parameters.of(LIMIT, PHASE),
          RunList.class,
          ToolDescription.Effects.READS,
          MethodKind.QUICK);

  private final RunGateway runs;
  private final int maxTokens;

  /**
   * The tool.
   *
   * @param maxTokens of a reply
   */
  public ListRuns(RunGateway runs, int maxTokens) {
    this.runs = runs;
    this.maxTokens = maxTokens;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) {
    return RunText.list(
        RunPage.of(
            runs.list(call.identity()),
            arguments.get(PHASE).orElse(null),
            null,
            arguments.get(LIMIT)),
        maxTokens);
  }
}
