package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.AnalyticsException;
import dev.assay.frontend.analytics.AnalyticsResult;
import dev.assay.frontend.analytics.AnalyticsValue;
import dev.assay.frontend.analytics.ArtifactFiles;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.DatasetFiles;
import dev.assay.frontend.analytics.ErrorCode;
import dev.assay.frontend.analytics.InvalidValueException;
import dev.assay.frontend.analytics.RunFailures;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetNote;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetRemarks;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.frontend.dataset.DatasetText;
import dev.assay.frontend.dataset.LoadAdvice;
import dev.assay.frontend.run.RunOutcome;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the tools that query datasets have in common: from the paths of a call to its result. */
public final class AnalyticsCall {
  private static final Logger log = LoggerFactory.getLogger(AnalyticsCall.class);

  /** The bytes of pictures that fit into a reply beside its longest table. */
  private static final int PICTURES = 500_000;

  private final DatasetGateway datasets;
  private final DatasetReadiness readiness;
  private final RunCall runs;
  private final CachedResults cache;
  private final RunValues values;
  private final ReplyArtifacts artifacts;

  /** Queries of one front end. */
  public AnalyticsCall(
      DatasetGateway datasets,
      DatasetReadiness readiness,
      RunCall runs,
      CachedResults cache,
      RunValues values,
      ReplyArtifacts artifacts) {
    this.datasets = datasets;
    this.readiness = readiness;
    this.runs = runs;
    this.cache = cache;
    this.values = values;
    this.artifacts = artifacts;
  }

  /** What came of a query. */
  sealed interface Outcome {}

  /**
   * It has a result of the form that was wanted.
   *
   * @param isUntrusted whether it may contain content of tool servers
   */
  record Done(AnalyticsResult result, boolean isUntrusted) implements Outcome {}

  /**
   * It failed.
   *
   * @param partial rows from before that; null where there are none
   * @param isUntrusted whether it may contain content of tool servers
   */
  record Failed(
      AnalyticsError error,
      @Nullable String queryId,
      @Nullable AnalyticsResult partial,
      boolean isUntrusted)
      implements Outcome {}

  /** Its run goes on, and its caller wanted to wait no longer. */
  record Continues(AnalyticsRun run) implements Outcome {}

  /** The files of the caller's namespace. */
  DatasetFiles files(CallContext call) {
    String namespace = call.identity().namespace();
    return new DatasetFiles(
        datasets.list(namespace), resourceName -> datasets.find(namespace, resourceName));
  }

  /** The artifacts of the caller's namespace. */
  ArtifactFiles artifacts(CallContext call) {
    return new ArtifactFiles(runs.gateway(), call.identity());
  }

  /**
   * Executes what a spec says, or finds the result of an earlier run of the same.
   *
   * @param spec without its datasets
   * @param read the datasets, in their order
   * @param isWhole whether a value has what a result needs
   * @param patience how long the call waits for the end of the run, which goes on after it
   */
  Outcome run(
      AnalyticsRunSpec spec,
      List<Dataset> read,
      Predicate<AnalyticsValue> isWhole,
      Patience patience,
      CallContext call)
      throws InterruptedException {
    List<Dataset> usable = new ArrayList<>(read.size());
    for (Dataset dataset : read) {
      usable.add(usable(dataset, patience, call));
    }
    List<String> names = usable.stream().map(dataset -> dataset.getMetadata().getName()).toList();
    AnalyticsRunSpec complete = spec.withDatasets(names.isEmpty() ? null : names);
    if (call.cancellation().isCancelled()) {
      throw cancelled();
    }
    List<String> remarks = DatasetRemarks.of(usable);
    // A repetition finds the run of its key, whatever has been cached since.
    Optional<AnalyticsRun> cached =
        call.idempotencyKey().isPresent()
            ? Optional.empty()
            : cache.find(call.identity(), complete, usable);
    if (cached.isPresent() && outcome(cached.get(), true, isWhole, call) instanceof Done hit) {
      cache.count(true);
      call.run().set(CallRun.named(hit.result().queryId()));
      return remarked(hit, remarks);
    }
    cache.count(false);
    return remarked(executed(complete, isWhole, patience, call), remarks);
  }

  private Outcome executed(
      AnalyticsRunSpec complete,
      Predicate<AnalyticsValue> isWhole,
      Patience patience,
      CallContext call)
      throws InterruptedException {
    return switch (runs.outcome(complete, patience, call)) {
      case RunOutcome.Ended ended -> outcome(ended.run(), false, isWhole, call);
      case RunOutcome.InProgress inProgress -> new Continues(inProgress.run());
      case RunOutcome other ->
          new Failed(RunFailures.of(other), other.run().getMetadata().getName(), null, false);
    };
  }

  private static Outcome remarked(Outcome outcome, List<String> remarks) {
    return switch (outcome) {
      case Done done -> new Done(done.result().warning(remarks), done.isUntrusted());
      case Failed failed ->
          new Failed(
              failed.error().withFurther(remarks),
              failed.queryId(),
              failed.partial(),
              failed.isUntrusted());
      case Continues continues -> continues;
    };
  }

  /** What a dataset does not have as its source has it; empty where that cannot be read. */
  List<DatasetNote> notes(CallContext call, Dataset dataset) {
    try {
      return datasets
          .read(call.identity().namespace(), dataset.getMetadata().getName())
          .flatMap(DatasetState::usable)
          .map(DatasetNote::allOf)
          .orElse(List.of());
    } catch (ClusterException e) {
      return List.of();
    }
  }

  private Dataset usable(Dataset dataset, Patience patience, CallContext call)
      throws InterruptedException {
    String name = DatasetText.nameOf(dataset);
    return switch (readiness.of(dataset.getMetadata().getName(), patience, call)) {
      case DatasetReadiness.Usable found -> found.dataset();
      case DatasetReadiness.Absent absent ->
          throw new AnalyticsException(
              ErrorCode.FILE_NOT_FOUND, "The dataset '" + name + "' was deleted");
      case DatasetReadiness.Failed failed ->
          throw new AnalyticsException(
              AnalyticsError.of(
                  ErrorCode.SCHEMA_ERROR,
                  "The dataset '"
                      + name
                      + "' could not be loaded: "
                      + Text.oneLine(failed.state().message(), 1_000),
                  List.of(LoadAdvice.again(failed.dataset(), failed.state())),
                  null));
      // The operator keeps a run until its datasets are ready.
      case DatasetReadiness.Loading loading when patience.isOver() -> dataset;
      case DatasetReadiness.Loading loading ->
          throw new AnalyticsException(
              AnalyticsError.of(
                  ErrorCode.ENGINE_ERROR,
                  "The dataset '"
                      + name
                      + "' is still loading after "
                      + readiness.atMost().toSeconds()
                      + " s; the query was not started",
                  List.of("Call again in a few seconds"),
                  null));
      case DatasetReadiness.Cancelled cancelled -> throw cancelled();
    };
  }

  private static AnalyticsException cancelled() {
    return new AnalyticsException(
        AnalyticsError.of(
            ErrorCode.ENGINE_ERROR,
            "the call was cancelled before the query was started",
            List.of("Call again"),
            null));
  }

  private Outcome outcome(
      AnalyticsRun run, boolean cached, Predicate<AnalyticsValue> isWhole, CallContext call)
      throws InterruptedException {
    String queryId = run.getMetadata().getName();
    boolean succeeded = RunState.phaseOf(run) == RunPhase.Succeeded;
    @Nullable AnalyticsValue value = null;
    AnalyticsError unusable = RunFailures.withoutValue(run);
    try {
      switch (values.of(run, call.memory())) {
        case RunValues.Found found -> value = AnalyticsValue.read(found.json());
        case RunValues.None none -> {}
        case RunValues.Unavailable unavailable ->
            unusable = AnalyticsError.of(ErrorCode.ENGINE_ERROR, unavailable.why());
      }
    } catch (InvalidValueException e) {
      log.warn("the value of run {} cannot be used: {}", queryId, e.getMessage());
      unusable =
          AnalyticsError.of(
              ErrorCode.ENGINE_ERROR,
              "the result is malformed: check that the class uses the runner image of this release");
    }
    boolean isUntrusted = runs.isUntrusted(run);
    if (!succeeded) {
      AnalyticsError error = failure(run, value == null ? null : value.failure(), call);
      return new Failed(
          error,
          queryId,
          value != null && value.table() != null ? result(run, value, cached, call) : null,
          isUntrusted);
    }
    return value != null && isWhole.test(value)
        ? new Done(result(run, value, cached, call), isUntrusted)
        : new Failed(
            value == null
                ? unusable
                : AnalyticsError.of(
                    ErrorCode.ENGINE_ERROR, "the result is not that of such a query"),
            queryId,
            null,
            isUntrusted);
  }

  private AnalyticsError failure(
      AnalyticsRun run, AnalyticsValue.@Nullable Failure known, CallContext call) {
    AnalyticsError error = RunFailures.of(run, known);
    if (known == null || known.missingName() == null) {
      return error;
    }
    List<String> read = run.getSpec().datasets() == null ? List.of() : run.getSpec().datasets();
    return files(call)
        .unnamed(known.missingName(), read)
        .map(error::withOnlySuggestion)
        .orElse(error);
  }

  private AnalyticsResult result(
      AnalyticsRun run, AnalyticsValue value, boolean cached, CallContext call)
      throws InterruptedException {
    return new AnalyticsResult(
        run.getMetadata().getName(), value, cached, RunValues.stdout(run), files(run, value, call));
  }

  /**
   * What a reply has of the files of a run. A picture of the chart may also come as text, and a
   * table takes what is left of a reply: as text and as structured content.
   */
  private AnalyticsResult.Files files(AnalyticsRun run, AnalyticsValue value, CallContext call)
      throws InterruptedException {
    ContentBlock.@Nullable Image chart = null;
    Optional<Artifact> picture = Artifact.find(run, Artifact.CHART);
    if (value.chart() != null && picture.isPresent()) {
      chart = artifacts.image(run, picture.get(), PICTURES / 2, call.memory()).orElse(null);
    }
    int room = PICTURES - 2 * (chart == null ? 0 : chart.bytes().length);
    return new AnalyticsResult.Files(
        chart,
        Artifact.find(run, Artifact.CHART_DATA).map(Artifact::link).orElse(null),
        artifacts.blocks(run, Artifact::isOwn, room, call.memory()),
        ReplyArtifacts.leftOut(run).orElse(null));
  }
}
