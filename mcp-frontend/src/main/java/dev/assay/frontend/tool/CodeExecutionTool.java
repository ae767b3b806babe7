package dev.assay.frontend.tool;

import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.script.ScriptErrorCode;
import dev.assay.frontend.script.ScriptException;
import dev.assay.frontend.script.ScriptExecution;
import dev.assay.frontend.script.ScriptResult;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** {@code code_execution}: runs JavaScript or TypeScript in a Pod of its own. */
public final class CodeExecutionTool implements Tool {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final ScriptExecution scripts;
  private final Duration patience;
  private final ToolDescription description;

  /**
   * The tool.
   *
   * @param patience how long a call waits for the end of its script, which goes on after it
   */
  public CodeExecutionTool(ScriptExecution scripts, Duration patience) {
    this.scripts = scripts;
    this.patience = patience;
    this.description =
        new ToolDescription(
            ScriptExecution.TOOL,
            "Run a script",
            """
            Runs a script in JavaScript (js, node) or TypeScript that calls tools of other MCP \
            servers in a loop or batch, with conditions, fallbacks and aggregation: intermediate \
            results cost you nothing. Also for a single call of such a tool. Not for datasets, files, \
            network, or work of more than 2 minutes.

            Nothing needs await; call_tool returns {ok, result} or {ok: false, error}; the value \
            is that of the last expression.\
            """,
            scripts.parameters().all(),
            ToolDescription.Effects.DESTROYS,
            MethodKind.CALL);
  }

  @Override
  public boolean createsRuns() {
    return true;
  }

  @Override
  public ToolDescription description() {
    return description;
  }

  @Override
  public boolean isListed() {
    return scripts.isEnabled();
  }

  @Override
  public String afterFailure(CallContext call) {
    return RunCall.afterFailure(call);
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    try {
      return reply(scripts.execute(arguments, Patience.of(patience), call));
    } catch (ScriptException e) {
      return reply(e.result());
    } catch (BadArgumentException e) {
      return reply(ScriptResult.notStarted(ScriptErrorCode.INVALID_ARGS, e.text()));
    }
  }

  @Override
  public Reply failure(String type, String message) {
    return reply(
        ScriptResult.notStarted(
            switch (type) {
              case "TypeError", "ValueError", "IdempotencyKeyReused" ->
                  ScriptErrorCode.INVALID_ARGS;
              default -> ScriptErrorCode.EXECUTION_FAILED;
            },
            message));
  }

  private static Reply reply(ScriptResult result) {
    return new Reply(
        List.of(new ContentBlock.Text(JSON.writeValueAsString(result))),
        result,
        result.hasFailed(),
        result.outcome(),
        result.callsOthers());
  }
}
