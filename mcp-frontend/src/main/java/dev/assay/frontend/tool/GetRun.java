package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunReport;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunText;
import java.util.Optional;

/** {@code get_run}: the status of a run and what it has printed. */
public final class GetRun implements Tool {
  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "get_run",
          "Show a run",
          """
          Shows one run: whether it is queued, running or has ended, and what it has printed, with \
          the error and its traceback where there is one. Use it when the answer of \
          execute_custom_analytics_code was lost or named a run that it did not wait for. It does \
          not wait: call it again while the run is in progress.\
          """,
          NamedRun.PARAMETERS,
          RunReport.class,
          ToolDescription.Effects.READS,
          MethodKind.CALL);

  private final RunGateway runs;
  private final OutputReader outputs;

  public GetRun(RunGateway runs, OutputReader outputs) {
    this.runs = runs;
    this.outputs = outputs.forStructuredReplies();
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    String name = NamedRun.name(arguments);
    Optional<AnalyticsRun> run = NamedRun.find(name, runs, call);
    if (run.isEmpty()) {
      return NamedRun.notThere(name);
    }
    return RunState.hasEnded(run.get())
        ? RunText.ended(run.get(), outputs.of(run.get(), call.memory()))
        : RunText.underWay(run.get(), outputs.soFar(run.get(), call.memory()));
  }
}
