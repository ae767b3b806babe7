package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
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
import dev.assay.frontend.run.NewRun;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code execute_custom_analytics_code}: runs Python over a dataset in a Pod of its own. */
public final class ExecuteCustomAnalyticsCode implements Tool {
  private static final Logger log = LoggerFactory.getLogger(ExecuteCustomAnalyticsCode.class);
  private static final String NAME = "execute_custom_analytics_code";
  private static final String URI_PREFIX = "dataset://";
  private static final Limit NAME_LIMIT = new Limit(URI_PREFIX.length() + Bounds.MAX_LABEL);
  private static final Limit CODE_LIMIT = new Limit(Bounds.MAX_CODE_BYTES);
  private static final List<String> ARGUMENTS =
      List.of("dataset_name", "python_code", "timeout_seconds");

  private final Settings settings;
  private final DatasetGateway datasets;
  private final DatasetWait datasetWait;
  private final RunGateway runs;
  private final RunClasses classes;
  private final RunWait runWait;
  private final OutputReader outputs;
  private final Supplier<String> names;
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

  /**
   * The tool.
   *
   * @param names gives each run a name that no other has
   */
  public ExecuteCustomAnalyticsCode(
      Settings settings,
      DatasetGateway datasets,
      DatasetWait datasetWait,
      RunGateway runs,
      RunClasses classes,
      RunWait runWait,
      OutputReader outputs,
      Supplier<String> names) {
    this.settings = settings;
    this.datasets = datasets;
    this.datasetWait = datasetWait;
    this.runs = runs;
    this.classes = classes;
    this.runWait = runWait;
    this.outputs = outputs;
    this.names = names;
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
  public Reply call(CallContext call, Map<String, Object> values) throws InterruptedException {
    Arguments arguments = new Arguments(values, ARGUMENTS);
    String datasetName = withoutPrefix(arguments.text("dataset_name", NAME_LIMIT));
    String code = arguments.text("python_code", CODE_LIMIT);
    int timeoutSeconds =
        arguments
            .optionalInteger("timeout_seconds", 1, settings.maxTimeoutSeconds)
            .orElse(settings.timeoutSeconds);
    Optional<Reply> notUsable = whyNotUsable(datasetName, call);
    return notUsable.isPresent()
        ? notUsable.get()
        : run(DatasetName.toResourceName(datasetName), code, timeoutSeconds, call);
  }

  private static String withoutPrefix(String name) {
    return name.startsWith(URI_PREFIX) ? name.substring(URI_PREFIX.length()) : name;
  }

  private Optional<Reply> whyNotUsable(String name, CallContext call) throws InterruptedException {
    if (!DatasetName.isValid(name)) {
      return Optional.of(notLoaded(name));
    }
    String namespace = call.identity().namespace();
    String resourceName = DatasetName.toResourceName(name);
    try (Subscription<Dataset> subscription = datasets.follow(namespace, resourceName)) {
      Optional<Dataset> dataset = datasets.find(namespace, resourceName);
      if (dataset.isEmpty()) {
        return Optional.of(notLoaded(name));
      }
      DatasetState state =
          datasetWait.await(dataset.get(), 0, subscription, settings.datasetWait, call);
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

  private static Reply notLoaded(String name) {
    return Reply.executionError(
        "KeyError",
        "Dataset '" + Text.oneLine(name, 80) + "' not loaded. Use load_dataset() first.");
  }

  private Reply run(String dataset, String code, int timeoutSeconds, CallContext call)
      throws InterruptedException {
    String namespace = call.identity().namespace();
    String name = names.get();
    if (call.cancellation().isCancelled()) {
      return Reply.executionError("Cancelled", "The call was cancelled before it ran");
    }
    NewRun wanted =
        new NewRun(name, settings.runClass, code, dataset, timeoutSeconds, NAME, call.requestId());
    try (Subscription<AnalyticsRun> subscription = runs.follow(namespace, name)) {
      call.run().set(name);
      AnalyticsRun created = create(wanted.of(call.identity()), call);
      Duration bound = classes.limitsOf(settings.runClass).bound(timeoutSeconds);
      RunOutcome outcome = runWait.await(created, subscription, bound, call);
      return switch (outcome) {
        case RunOutcome.Ended ended -> RunReply.ended(ended.run(), outputs.of(ended.run()));
        case RunOutcome.Deleted deleted -> RunReply.deleted(deleted.run());
        case RunOutcome.NotWanted notWanted -> {
          cancel(namespace, name);
          yield RunReply.notWanted(notWanted.run());
        }
        case RunOutcome.Overdue overdue -> {
          cancel(namespace, name);
          yield RunReply.overdue(overdue.run(), bound.toSeconds());
        }
      };
    }
  }

  private AnalyticsRun create(AnalyticsRun run, CallContext call) {
    try {
      return runs.create(run);
    } catch (ClusterException e) {
      if (e.isRefused()) {
        call.run().set(null);
      }
      throw e;
    }
  }

  private void cancel(String namespace, String name) {
    try {
      runs.cancel(namespace, name);
    } catch (ClusterException e) {
      log.warn(
          "the run {} could not be cancelled; its own limits end it: {}", name, e.getMessage());
    }
  }
}
