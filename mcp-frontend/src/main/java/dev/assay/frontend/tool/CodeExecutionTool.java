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
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** {@code code_execution}: runs JavaScript or TypeScript in a Pod of its own. */
public final class CodeExecutionTool implements Tool {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final ScriptExecution scripts;
  private final ToolDescription description;

  public CodeExecutionTool(ScriptExecution scripts) {
    this.scripts = scripts;
    this.description =
        new ToolDescription(
            ScriptExecution.TOOL,
            "Run a script",
            """
            Runs a JavaScript or TypeScript script in a container of its own and returns its value: \
            one call in place of many, with loops, conditions, fallbacks and aggregation, whose \
            intermediate results cost you nothing. Call tools of other servers only from here, one \
            or many: search_tools finds them.

            - call_tool(server, tool, args) returns {ok: true, result} or {ok: false, error: \
            {code, message, sent}}; it throws nothing, so check ok. result is the tool's own data, \
            already parsed, or its text. call_tools([{server, tool, args}, ...]) calls up to 100 side \
            by side and returns their envelopes in order.
            - The value is that of the last expression, or of a return outside of functions. Write an \
            object in parentheses: ({total: 3}). It has to be JSON: no functions, Map, Set or BigInt.
            - Nothing needs await; a promise at the end is awaited.
            - input is the argument of that name, already parsed. console.log goes to logs.
            - There are no files, network, timers, require or import, and nothing is kept for the next \
            call. Types of TypeScript are removed, not checked.
            - An error has a code, and the line and column in your source.

            Not for work of more than 2 minutes, or on datasets.\
            """,
            scripts.parameters().all(),
            ToolDescription.Effects.WRITES,
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
      return reply(scripts.execute(arguments, call));
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
              case "TypeError", "ValueError" -> ScriptErrorCode.INVALID_ARGS;
              default -> ScriptErrorCode.EXECUTION_FAILED;
            },
            message));
  }

  private static Reply reply(ScriptResult result) {
    return new Reply(
        List.of(new ContentBlock.Text(JSON.writeValueAsString(result))),
        result,
        !result.ok(),
        result.outcome(),
        result.callsOthers());
  }
}
