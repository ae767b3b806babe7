package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunAccess;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import java.util.Optional;

/** {@code cancel_run}: stops a run. */
public final class CancelRun implements Tool {
  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "cancel_run",
          "Stop a run",
          """
          Stops (cancels, kills, aborts, terminates) a running or queued run, job or query, and \
          keeps its output so far. Not needed for one that has ended.\
          """,
          Parameters.of(NamedRun.NAME),
          ToolDescription.Effects.DESTROYS,
          MethodKind.QUICK);

  private final RunGateway runs;

  public CancelRun(RunGateway runs) {
    this.runs = runs;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public String afterFailure(CallContext call) {
    return "Whether the run is being stopped is not known: calling cancel_run again is safe.";
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) {
    String name = arguments.get(NamedRun.NAME);
    Optional<AnalyticsRun> run = NamedRun.find(name, runs, call);
    if (run.isEmpty()) {
      return NamedRun.notThere(name);
    }
    if (RunState.hasEnded(run.get())) {
      return Reply.success(
          "Run "
              + name
              + " had ended before: "
              + RunState.phaseOf(run.get())
              + ". Nothing was done.");
    }
    if (!RunAccess.mayChange(run.get(), call.identity())) {
      return Reply.executionError("PermissionError", RunAccess.refusal(run.get()));
    }
    runs.cancel(call.identity().namespace(), name);
    return Reply.success("Run " + name + " is being stopped. get_run shows its end.");
  }
}
