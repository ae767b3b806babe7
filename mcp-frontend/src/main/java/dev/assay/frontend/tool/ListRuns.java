package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunList;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code list_runs}: the newest runs. */
public final class ListRuns implements Tool {
  private static final int DEFAULT = 20;
  private static final Limit PHASE_LIMIT = new Limit(64);
  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          "list_runs",
          "List runs",
          """
          Lists the newest runs of your namespace, newest first, also those of others in it: one \
          line each with its name, phase, reason, dataset and when it was created. Use it to find \
          the name of a run for get_run or cancel_run; with phase "Running" it lists those in \
          progress.""",
          """
          {
            "type": "object",
            "properties": {
              "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 500,
                "default": 20,
                "description": "Most runs to list"
              },
              "phase": {
                "type": "string",
                "enum": ["Pending", "Starting", "Running", "Succeeded", "Failed", "TimedOut", "Cancelled"],
                "description": "Only runs in this phase"
              }
            },
            "additionalProperties": false
          }""",
          RunList.class,
          ToolDescription.Effects.READS);

  private final RunGateway runs;

  public ListRuns(RunGateway runs) {
    this.runs = runs;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public Reply call(CallContext call, Map<String, Object> values) {
    Arguments arguments = new Arguments(values, List.of("limit", "phase"));
    int limit = arguments.optionalInteger("limit", 1, RunPage.MAX).orElse(DEFAULT);
    @Nullable RunPhase phase =
        arguments.optionalText("phase", PHASE_LIMIT).map(ListRuns::phase).orElse(null);
    return RunText.list(RunPage.of(runs.list(call.identity().namespace()), phase, null, limit));
  }

  private static RunPhase phase(String name) {
    return RunState.phaseNamed(name)
        .orElseThrow(() -> BadArgumentException.value("'phase' must be one of " + RunState.PHASES));
  }
}
