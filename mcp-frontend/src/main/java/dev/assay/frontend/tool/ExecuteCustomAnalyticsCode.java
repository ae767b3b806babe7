package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** {@code execute_custom_analytics_code}: runs Python over a dataset in a Pod of its own. */
public final class ExecuteCustomAnalyticsCode implements Tool {
  private static final String NAME = "execute_custom_analytics_code";
  private static final Limit CODE_LIMIT = new Limit(Bounds.MAX_CODE_BYTES);
  private static final List<String> ARGUMENTS =
      List.of("dataset_name", "python_code", "datasets", "timeout_seconds", "run_class");

  /** What a run can have, less the one that is df. */
  private static final int MAX_FURTHER = Bounds.MAX_RUN_DATASETS - 1;

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
    this.description =
        new ToolDescription(
            NAME,
            "Run Python over a dataset",
            ExecuteDescription.text(settings),
            ExecuteDescription.schema(settings),
            ToolDescription.Effects.READS);
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
  public Reply call(CallContext call, Map<String, Object> values) throws InterruptedException {
    Arguments arguments = new Arguments(values, ARGUMENTS);
    String datasetName = NamedDataset.of(arguments.text("dataset_name", NamedDataset.LIMIT));
    String code = arguments.text("python_code", CODE_LIMIT);
    int timeoutSeconds =
        arguments
            .optionalInteger("timeout_seconds", 1, settings.maxTimeoutSeconds)
            .orElse(settings.timeoutSeconds);
    String runClass = arguments.optionalLabel("run_class").orElse(settings.runClass);
    Set<String> resourceNames = new LinkedHashSet<>();
    for (String name : named(datasetName, arguments)) {
      Optional<Reply> notUsable = whyNotUsable(name, call);
      if (notUsable.isPresent()) {
        return notUsable.get();
      }
      resourceNames.add(DatasetName.toResourceName(name));
    }
    return runs.run(runClass, code, List.copyOf(resourceNames), timeoutSeconds, NAME, call);
  }

  private static List<String> named(String datasetName, Arguments arguments) {
    return Stream.concat(
            Stream.of(datasetName),
            arguments.texts("datasets", MAX_FURTHER, NamedDataset.LIMIT).stream()
                .map(NamedDataset::of))
        .toList();
  }

  private Optional<Reply> whyNotUsable(String name, CallContext call) throws InterruptedException {
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
          datasetWait.await(dataset.get(), subscription, settings.datasetWait, call);
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
