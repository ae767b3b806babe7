package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.watch.Patience;
import java.util.List;

/** Executes scripts, each in a run of its own. */
public final class ScriptExecution {
  /** The tool that every such run names. */
  public static final String TOOL = "code_execution";

  private final CodeExecution settings;
  private final ScriptParameters parameters;
  private final StoredScripts stored;
  private final RunSubmission runs;
  private final RunValues values;

  /** Scripts of one front end. */
  public ScriptExecution(
      CodeExecution settings, StoredScripts stored, RunSubmission runs, RunValues values) {
    this.settings = settings;
    this.parameters = new ScriptParameters(settings);
    this.stored = stored;
    this.runs = runs;
    this.values = values;
  }

  /** Whether there are scripts at all. */
  public boolean isEnabled() {
    return settings.isEnabled();
  }

  /** The arguments of a call. */
  public ScriptParameters parameters() {
    return parameters;
  }

  /** The scripts that a caller can name, without their code. */
  public List<StoredScript> stored(String namespace) {
    requireEnabled();
    return stored.list(namespace, "");
  }

  /**
   * Executes a script and waits for its end.
   *
   * @param patience how long it waits
   * @throws ScriptException where none was started
   * @throws dev.assay.frontend.argument.BadArgumentException where an argument cannot be used
   */
  public ScriptResult execute(Arguments arguments, Patience patience, CallContext call)
      throws InterruptedException {
    AnalyticsRunSpec spec = spec(arguments, call);
    if (call.cancellation().isCancelled()) {
      return ScriptResult.notStarted(
          ScriptErrorCode.CANCELLED, "the call was cancelled before the script was started");
    }
    return switch (runs.execute(spec, patience, call)) {
      case RunOutcome.InProgress continues ->
          ScriptResults.inProgress(continues.run(), patience.duration().toSeconds());
      case RunOutcome outcome -> result(outcome, call);
    };
  }

  /**
   * Creates the run of a script.
   *
   * @throws ScriptException where none was created
   * @throws dev.assay.frontend.argument.BadArgumentException where an argument cannot be used
   */
  public AnalyticsRun create(Arguments arguments, CallContext call) {
    return runs.create(spec(arguments, call), call);
  }

  /** The result of a run that was created before, when it has ended. */
  public ScriptResult follow(AnalyticsRun created, CallContext call) throws InterruptedException {
    return switch (runs.follow(created, call)) {
      case RunOutcome.InProgress continues ->
          ScriptResults.inProgress(continues.run(), runs.boundOf(created.getSpec()).toSeconds());
      case RunOutcome outcome -> result(outcome, call);
    };
  }

  private AnalyticsRunSpec spec(Arguments arguments, CallContext call) {
    requireEnabled();
    ScriptCall wanted = parameters.read(arguments);
    ScriptSource source =
        ScriptSource.of(
            wanted,
            () ->
                stored.list(
                    call.identity().namespace(), wanted.script() == null ? "" : wanted.script()));
    return AnalyticsRunSpecBuilder.builder()
        .className(settings.runClassName())
        .language(source.language())
        .code(source.code())
        .input(wanted.input())
        .timeoutMillis(wanted.options().timeoutMillis())
        .script(source.script())
        .tools(tools(wanted.options()))
        .tool(TOOL)
        .build();
  }

  private static RunTools tools(ScriptOptions options) {
    return new RunTools(
        options.allowedServers(), options.maxToolCalls(), options.maxParallel(), null);
  }

  private void requireEnabled() {
    if (!settings.isEnabled()) {
      throw ScriptException.disabled();
    }
  }

  private ScriptResult result(RunOutcome outcome, CallContext call) throws InterruptedException {
    return outcome instanceof RunOutcome.Ended ended
        ? ScriptResults.of(ended.run(), values.of(ended.run(), call.memory()))
        : ScriptResults.of(outcome);
  }
}
