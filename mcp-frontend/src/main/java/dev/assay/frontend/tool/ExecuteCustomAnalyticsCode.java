package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.RunParameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetRemarks;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.execution.DataFacts;
import dev.assay.frontend.execution.ExecutionReplies;
import dev.assay.frontend.execution.Failures;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code execute_custom_analytics_code}: runs Python over a dataset in a Pod of its own. */
public final class ExecuteCustomAnalyticsCode implements Tool {
  private static final String NAME = "execute_custom_analytics_code";

  /** What a run can have, less the one that is df. */
  private static final int MAX_FURTHER = Bounds.MAX_RUN_DATASETS - 1;

  private static final Parameter<Optional<String>> DATASET =
      Parameter.optional("dataset_name", NamedDataset.TYPE)
          .describedAs("Required unless mode is code");
  private static final Parameter<String> CODE =
      Parameter.required("python_code", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)));
  private static final Parameter<Optional<List<String>>> FURTHER =
      Parameter.optional(
          "datasets", ArgumentTypes.listOf(NamedDataset.TYPE, MAX_FURTHER, NamedDataset.LIMIT));

  private static final Parameter<RunMode> MODE =
      RunParameters.MODE.describedAs(
          "code: adds functions for statistics, models and reports, listed by describe_runtime");

  private final Parameter<Optional<Integer>> timeout;
  private final Parameter<Optional<String>> runClass;
  private final WaitSeconds waitSeconds;
  private final Parameter<Integer> maxTokens;
  private final Settings settings;
  private final DatasetGateway datasets;
  private final DatasetReadiness readiness;
  private final RunCall runs;
  private final ExecutionReplies replies;
  private final ToolDescription description;

  /**
   * What the platform team decided.
   *
   * @param runClass the class of runs
   * @param codeRunClass the class of runs in code mode
   * @param timeoutSeconds run time where a call names none
   * @param codeTimeoutSeconds the same in code mode
   * @param maxTimeoutSeconds most run time that a call may name
   * @param waitSeconds how long a call waits for its run where it does not say
   * @param datasetWait how long a call waits for a dataset that is loading
   */
  public record Settings(
      String runClass,
      String codeRunClass,
      int timeoutSeconds,
      int codeTimeoutSeconds,
      int maxTimeoutSeconds,
      int waitSeconds,
      Duration datasetWait) {
    String classFor(RunMode mode) {
      return mode == RunMode.CODE ? codeRunClass : runClass;
    }

    int timeoutFor(RunMode mode) {
      return mode == RunMode.CODE ? codeTimeoutSeconds : timeoutSeconds;
    }
  }

  /** The tool. */
  public ExecuteCustomAnalyticsCode(
      Settings settings,
      DatasetGateway datasets,
      DatasetWait datasetWait,
      RunCall runs,
      ExecutionReplies replies) {
    this.settings = settings;
    this.datasets = datasets;
    this.readiness = new DatasetReadiness(datasets, datasetWait, settings.datasetWait);
    this.runs = runs;
    this.replies = replies;
    this.timeout =
        Parameter.optional(
            "timeout_seconds",
            ArgumentTypes.integer(1, settings.maxTimeoutSeconds)
                .with("default", settings.timeoutSeconds));
    this.runClass =
        Parameter.optional("run_class", ArgumentTypes.label())
            .describedAs("Only if an error names one");
    this.waitSeconds = WaitSeconds.upTo(settings.maxTimeoutSeconds, settings.waitSeconds);
    this.maxTokens = MaxTokens.of(runs.defaultTokens());
    this.description =
        new ToolDescription(
            NAME,
            "Run Python",
            ExecuteDescription.text(settings),
            Parameters.of(
                DATASET,
                CODE,
                FURTHER,
                MODE,
                RunParameters.FILES,
                RunParameters.INPUTS,
                RunParameters.KEEP,
                timeout,
                runClass,
                waitSeconds.parameter(),
                maxTokens),
            ToolDescription.Effects.RUNS_PYTHON,
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
  public String afterFailure(CallContext call) {
    return RunCall.afterFailure(call);
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    RunMode mode = arguments.get(MODE);
    Optional<String> datasetName =
        mode == RunMode.STANDARD ? Optional.of(arguments.require(DATASET)) : arguments.get(DATASET);
    String code = arguments.get(CODE);
    int timeoutSeconds = arguments.get(timeout).orElse(settings.timeoutFor(mode));
    int tokens = arguments.get(maxTokens);
    String className = arguments.get(runClass).orElse(settings.classFor(mode));
    @Nullable List<RunFile> files = arguments.get(RunParameters.FILES).orElse(null);
    @Nullable List<RunInput> inputs = arguments.get(RunParameters.INPUTS).orElse(null);
    @Nullable List<String> keep = arguments.get(RunParameters.KEEP).orElse(null);
    Patience patience = waitSeconds.patience(arguments);
    List<String> further = arguments.get(FURTHER).orElse(List.of());
    Set<String> resourceNames = new LinkedHashSet<>();
    List<Dataset> read = new ArrayList<>();
    for (String name : Stream.concat(datasetName.stream(), further.stream()).toList()) {
      Optional<Reply> notUsable = whyNotUsable(name, patience, call, read);
      if (notUsable.isPresent()) {
        return notUsable.get();
      }
      resourceNames.add(DatasetName.toResourceName(name));
    }
    AnalyticsRunSpec spec =
        AnalyticsRunSpecBuilder.builder()
            .className(className)
            .language(Language.PYTHON)
            .code(code)
            .mode(mode == RunMode.STANDARD ? null : mode)
            .files(files)
            .inputs(inputs)
            .keep(keep)
            .datasets(resourceNames.isEmpty() ? null : List.copyOf(resourceNames))
            .timeoutSeconds(timeoutSeconds)
            .tool(NAME)
            .build();
    return runs.run(
        spec, tokens, patience, call, new CodeEnding(resourceNames, DatasetRemarks.of(read), call));
  }

  /** The end of code that works on these datasets. */
  private final class CodeEnding implements RunCall.Ending {
    private final Set<String> resourceNames;
    private final List<String> remarks;
    private final CallContext call;
    private @Nullable DataFacts facts;

    CodeEnding(Set<String> resourceNames, List<String> remarks, CallContext call) {
      this.resourceNames = resourceNames;
      this.remarks = remarks;
      this.call = call;
    }

    @Override
    public Optional<String> advice(AnalyticsRun run) {
      Stream<String> ofFailure =
          RunState.phaseOf(run) == RunPhase.Failed
              ? Failures.advice(run, facts()).stream()
              : Stream.empty();
      return Stream.concat(ofFailure, remarks.stream())
          .reduce((first, second) -> first + "\n" + second);
    }

    @Override
    public Reply of(AnalyticsRun run, Reply reply, String output) throws InterruptedException {
      return replies.structured(reply, run, output, this::facts, call.memory());
    }

    private DataFacts facts() {
      DataFacts known =
          facts == null ? ExecuteCustomAnalyticsCode.this.facts(resourceNames, call) : facts;
      facts = known;
      return known;
    }
  }

  /** What the caches do not keep is read, but only after an error. */
  private DataFacts facts(Set<String> resourceNames, CallContext call) {
    List<Snapshot> snapshots = new ArrayList<>();
    try {
      for (String name : resourceNames) {
        datasets
            .read(call.identity().namespace(), name)
            .map(Dataset::getStatus)
            .map(DatasetStatus::snapshot)
            .ifPresent(snapshots::add);
      }
    } catch (ClusterException e) {
      return DataFacts.NONE;
    }
    return snapshots.isEmpty()
        ? DataFacts.NONE
        : new DataFacts(
            snapshots.stream()
                .flatMap(one -> Stream.ofNullable(one.columns()).flatMap(List::stream))
                .map(SnapshotColumn::name)
                .distinct()
                .toList(),
            snapshots.getFirst().rows(),
            snapshots.getFirst().bytes());
  }

  /**
   * The reply where a dataset cannot be read; empty where it can.
   *
   * @param read where it is then added
   */
  private Optional<Reply> whyNotUsable(
      String name, Patience patience, CallContext call, List<Dataset> read)
      throws InterruptedException {
    if (!DatasetName.isValid(name)) {
      return Optional.of(NamedDataset.notLoaded(name, datasets, call));
    }
    return switch (readiness.of(DatasetName.toResourceName(name), patience, call)) {
      case DatasetReadiness.Usable usable -> {
        read.add(usable.dataset());
        yield Optional.empty();
      }
      case DatasetReadiness.Absent absent ->
          Optional.of(NamedDataset.notLoaded(name, datasets, call));
      case DatasetReadiness.Failed failed ->
          Optional.of(
              Reply.executionError(
                  "DatasetFailed",
                  "Dataset '"
                      + name
                      + "' could not be loaded: "
                      + Text.oneLine(failed.state().message(), 4096)
                      + "\n"
                      + LoadAdvice.again(failed.dataset(), failed.state())
                      + "\nThe code was not started."));
      // The operator keeps a run until its datasets are ready.
      case DatasetReadiness.Loading loading when patience.isOver() -> Optional.empty();
      case DatasetReadiness.Loading loading ->
          Optional.of(
              Reply.executionError(
                  "DatasetNotReady",
                  "Dataset '"
                      + name
                      + "' is still loading after "
                      + settings.datasetWait.toSeconds()
                      + " s ("
                      + loading.phase()
                      + ")\nThe code was not started: retrying is safe."));
      case DatasetReadiness.Cancelled cancelled ->
          Optional.of(Reply.executionError("Cancelled", "The call was cancelled before it ran"));
    };
  }
}
