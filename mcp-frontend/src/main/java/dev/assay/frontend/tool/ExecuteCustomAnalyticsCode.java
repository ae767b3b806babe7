package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Patience;
import dev.assay.frontend.watch.Subscription;
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
  private final DatasetWait datasetWait;
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
    this.datasetWait = datasetWait;
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
    return runs.run(
        className, code, List.copyOf(resourceNames), timeoutSeconds, NAME, tokens, patience, call);
  }

  private Optional<Reply> whyNotUsable(String name, Patience patience, CallContext call)
      throws InterruptedException {
    if (!DatasetName.isValid(name)) {
      return Optional.of(NamedDataset.notLoaded(name, datasets, call));
    }
    String namespace = call.identity().namespace();
    String resourceName = DatasetName.toResourceName(name);
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      // What cannot be used is read again: the cache may be behind what the caller knows.
      Optional<Dataset> dataset =
          datasets
              .find(namespace, resourceName)
              .flatMap(
                  found ->
                      DatasetState.usable(found).isPresent()
                          ? Optional.of(found)
                          : datasets.read(namespace, resourceName));
      if (dataset.isEmpty()) {
        return Optional.of(NamedDataset.notLoaded(name, datasets, call));
      }
      if (DatasetState.usable(dataset.get()).isPresent()) {
        return Optional.empty();
      }
      DatasetState state =
          datasetWait.await(dataset.get(), subscription, patience.left(settings.datasetWait), call);
      return switch (state) {
        case DatasetState.Ready ready -> Optional.empty();
        case DatasetState.Failed failed ->
            Optional.of(
                Reply.executionError(
                    "DatasetFailed",
                    "Dataset '"
                        + name
                        + "' could not be loaded: "
                        + Text.oneLine(failed.message(), 4096)
                        + "\n"
                        + LoadAdvice.again(dataset.get())
                        + "\nThe code was not started."));
        // The operator keeps a run until its datasets are ready.
        case DatasetState.Loading loading
            when patience.isOver() && !call.cancellation().isCancelled() ->
            Optional.empty();
        case DatasetState.Loading loading ->
            Optional.of(
                call.cancellation().isCancelled()
                    ? Reply.executionError("Cancelled", "The call was cancelled before it ran")
                    : Reply.executionError(
                        "DatasetNotReady",
                        "Dataset '"
                            + name
                            + "' is still loading after "
                            + settings.datasetWait.toSeconds()
                            + " s ("
                            + loading.phase()
                            + ")\nThe code was not started: trying again is safe."));
      };
    }
  }
}
