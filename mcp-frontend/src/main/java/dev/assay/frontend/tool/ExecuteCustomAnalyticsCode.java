package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code execute_custom_analytics_code}: runs Python over a dataset in a Pod of its own. */
public final class ExecuteCustomAnalyticsCode implements Tool {
  private static final String NAME = "execute_custom_analytics_code";

  /** What a run can have, less the one that is df. */
  private static final int MAX_FURTHER = Bounds.MAX_RUN_DATASETS - 1;

  private static final Parameter<String> DATASET =
      Parameter.required("dataset_name", NamedDataset.TYPE)
          .describedAs(
              "Name of a loaded dataset, as list_datasets shows it; dataset://NAME is fine too");
  private static final Parameter<String> CODE =
      Parameter.required("python_code", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)))
          .describedAs(
              "Python source, at most "
                  + Bounds.MAX_CODE_BYTES
                  + " bytes of UTF-8; print() what you want to see");
  private static final Parameter<Optional<List<String>>> FURTHER =
      Parameter.optional(
              "datasets", ArgumentTypes.listOf(NamedDataset.TYPE, MAX_FURTHER, NamedDataset.LIMIT))
          .describedAs("Names of further datasets that the code uses");

  private final Parameter<Integer> timeout;
  private final Parameter<String> runClass;
  private final Parameter<Optional<Integer>> waitSeconds;
  private final Parameter<Integer> maxTokens;
  private final Settings settings;
  private final DatasetGateway datasets;
  private final DatasetReadiness readiness;
  private final RunCall runs;
  private final ToolDescription description;

  /**
   * What the platform team decided.
   *
   * @param runClass the class of runs
   * @param timeoutSeconds run time where a call names none
   * @param maxTimeoutSeconds most run time that a call may name
   * @param datasetWait how long a call waits for a dataset that is loading
   */
  public record Settings(
      String runClass, int timeoutSeconds, int maxTimeoutSeconds, Duration datasetWait) {}

  /** The tool. */
  public ExecuteCustomAnalyticsCode(
      Settings settings, DatasetGateway datasets, DatasetWait datasetWait, RunCall runs) {
    this.settings = settings;
    this.datasets = datasets;
    this.readiness = new DatasetReadiness(datasets, datasetWait, settings.datasetWait);
    this.runs = runs;
    this.timeout =
        Parameter.withDefault(
                "timeout_seconds",
                ArgumentTypes.integer(1, settings.maxTimeoutSeconds),
                settings.timeoutSeconds)
            .describedAs("Time limit of the code in seconds");
    this.runClass =
        Parameter.withDefault("run_class", ArgumentTypes.label(), settings.runClass)
            .describedAs(
                "How much memory and time there is; name another only where an error says so");
    this.waitSeconds =
        Parameter.optional("wait_seconds", ArgumentTypes.integer(0, settings.maxTimeoutSeconds))
            .describedAs(
                "How long to wait for the end; by default as long as it takes. After that the"
                    + " reply names the run, which goes on, for get_run");
    this.maxTokens = MaxTokens.of(runs.defaultTokens());
    this.description =
        new ToolDescription(
            NAME,
            "Run Python over a dataset",
            ExecuteDescription.text(settings),
            Parameters.of(DATASET, CODE, FURTHER, timeout, runClass, waitSeconds, maxTokens),
            ToolDescription.Effects.READS,
            MethodKind.CALL);
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
    String datasetName = arguments.get(DATASET);
    String code = arguments.get(CODE);
    int timeoutSeconds = arguments.get(timeout);
    int tokens = arguments.get(maxTokens);
    String className = arguments.get(runClass);
    Patience patience =
        arguments
            .get(waitSeconds)
            .map(seconds -> Patience.of(Duration.ofSeconds(seconds)))
            .orElseGet(Patience::endless);
    List<String> further = arguments.get(FURTHER).orElse(List.of());
    Set<String> resourceNames = new LinkedHashSet<>();
    for (String name : Stream.concat(Stream.of(datasetName), further.stream()).toList()) {
      Optional<Reply> notUsable = whyNotUsable(name, patience, call);
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
            .datasets(List.copyOf(resourceNames))
            .timeoutSeconds(timeoutSeconds)
            .tool(NAME)
            .build();
    return runs.run(spec, tokens, patience, call);
  }

  private Optional<Reply> whyNotUsable(String name, Patience patience, CallContext call)
      throws InterruptedException {
    if (!DatasetName.isValid(name)) {
      return Optional.of(NamedDataset.notLoaded(name, datasets, call));
    }
    return switch (readiness.of(DatasetName.toResourceName(name), patience, call)) {
      case DatasetReadiness.Usable usable -> Optional.empty();
      case DatasetReadiness.Absent absent ->
          Optional.of(NamedDataset.notLoaded(name, datasets, call));
      case DatasetReadiness.Failed failed ->
          Optional.of(
              Reply.executionError(
                  "DatasetFailed",
                  "Dataset '"
                      + name
                      + "' could not be loaded: "
                      + Text.oneLine(failed.message(), 4096)
                      + "\n"
                      + LoadAdvice.again(failed.dataset())
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
                      + ")\nThe code was not started: trying again is safe."));
      case DatasetReadiness.Cancelled cancelled ->
          Optional.of(Reply.executionError("Cancelled", "The call was cancelled before it ran"));
    };
  }
}
