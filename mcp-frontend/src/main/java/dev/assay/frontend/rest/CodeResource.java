package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.script.ScriptErrorCode;
import dev.assay.frontend.script.ScriptException;
import dev.assay.frontend.script.ScriptExecution;
import dev.assay.frontend.script.ScriptResult;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Stopwatch;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/code}: scripts. What they are answered with is what agents read. */
final class CodeResource {
  static final String EXECUTION = "/api/v1/code/exec";
  static final String SCRIPTS = "/api/v1/code/scripts";

  private final ScriptExecution scripts;
  private final CallLog calls;

  CodeResource(ScriptExecution scripts, CallLog calls) {
    this.calls = calls;
    this.scripts = scripts;
  }

  /** 200 whatever the script does: only one that is not started has another status. */
  Answer execute(RestRequest request) {
    Stopwatch watch = new Stopwatch();
    CallContext creating = request.call(new Cancellation());
    AnalyticsRun created;
    try {
      created = scripts.create(scripts.parameters().all().read(request.members()), creating);
    } catch (ScriptException e) {
      return refused(status(e.code()), logged(e.result(), creating, watch));
    } catch (BadArgumentException e) {
      ScriptResult wrong = ScriptResult.notStarted(ScriptErrorCode.INVALID_REQUEST, e.text());
      return refused(400, logged(wrong, creating, watch));
    } catch (ClusterException e) {
      ScriptResult failed = ScriptResult.notStarted(code(e), message(e, creating));
      return refused(status(e), logged(failed, creating, watch));
    }
    return new Answer.Awaited(
        200,
        RunsResource.PATH + "/" + created.getMetadata().getName(),
        cancellation ->
            ScriptDocument.of(
                logged(
                    result(created, request.call(ofScript(cancellation, request))),
                    creating,
                    watch)));
  }

  /** Who can repeat the request comes back for its result. */
  private static Cancellation ofScript(Cancellation ofAnswer, RestRequest request) {
    if (request.idempotencyKey().isEmpty()) {
      return ofAnswer;
    }
    Cancellation abandoned = new Cancellation();
    ofAnswer.onChange(abandoned::abandon);
    return abandoned;
  }

  private ScriptResult result(AnalyticsRun created, CallContext call) throws InterruptedException {
    try {
      return scripts.follow(created, call);
    } catch (ClusterException e) {
      return ScriptResult.notStarted(
          ScriptErrorCode.EXECUTION_FAILED,
          "The run was created, but whether it has ended is not known: "
              + e.getMessage()
              + "; GET "
              + RunsResource.PATH
              + "/"
              + created.getMetadata().getName()
              + " tells");
    }
  }

  /** The same; the log has a line of it, as of a call by MCP. */
  private ScriptResult logged(ScriptResult result, CallContext call, Stopwatch watch) {
    calls.ended(call, ScriptExecution.TOOL, result.outcome(), watch.elapsed());
    return result;
  }

  /** Scripts are switched off. */
  static Answer disabled() {
    ScriptException disabled = ScriptException.disabled();
    return refused(status(disabled.code()), disabled.result());
  }

  private static Answer refused(int status, ScriptResult result) {
    return new Answer.Document(status, ScriptDocument.of(result));
  }

  private static int status(ScriptErrorCode code) {
    return switch (code) {
      case FEATURE_DISABLED -> 403;
      case SCRIPT_NOT_FOUND -> 404;
      case INVALID_ARGS, INVALID_REQUEST, INVALID_LANGUAGE, INVALID_OPTIONS -> 400;
      case TRANSPILE_ERROR,
          SYNTAX_ERROR,
          RUNTIME_ERROR,
          SERIALIZATION_ERROR,
          TIMEOUT,
          MAX_TOOL_CALLS_EXCEEDED,
          MEMORY_EXCEEDED,
          CANCELLED,
          IN_PROGRESS,
          EXECUTION_FAILED ->
          503;
    };
  }

  private static ScriptErrorCode code(ClusterException failure) {
    return failure.kind() == ClusterException.Kind.KEY_REUSED
        ? ScriptErrorCode.INVALID_REQUEST
        : ScriptErrorCode.EXECUTION_FAILED;
  }

  private static int status(ClusterException failure) {
    return switch (failure.kind()) {
      case REFUSED -> 403;
      case LIMITED -> 429;
      case KEY_REUSED -> 409;
      case MISCONFIGURED -> 500;
      case OVERLOADED, UNAVAILABLE -> 503;
    };
  }

  private static String message(ClusterException failure, CallContext creating) {
    @Nullable CallRun run = creating.run().get();
    return failure.getMessage()
        + (run == null
            ? ". The script was not started"
            : "; whether it was started is not known: GET "
                + RunsResource.PATH
                + "/"
                + run.name()
                + " tells")
        + " (request "
        + creating.requestId()
        + ")";
  }

  /** The names of the stored scripts. */
  Answer list(RestRequest request) {
    try {
      return new Answer.Document(
          200,
          new Page<>(
              scripts.stored(request.namespace()).stream().map(StoredScriptDocument::of).toList(),
              null));
    } catch (ScriptException e) {
      return refused(status(e.code()), e.result());
    }
  }
}
