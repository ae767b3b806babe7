package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
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
          Stops a run that is queued or running; what it has printed is kept. Use it when a result \
          is not needed any more, so that the run does not use what other runs need. It does not \
          wait: get_run shows the end. A run that has ended is left as it is.\
          """,
          Parameters.of(NamedRun.NAME),
          ToolDescription.Effects.WRITES,
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
    runs.cancel(call.identity().namespace(), name);
    return Reply.success("Run " + name + " is being stopped. get_run shows its end.");
  }
}
