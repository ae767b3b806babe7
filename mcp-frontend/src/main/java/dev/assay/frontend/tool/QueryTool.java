package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.analytics.ResultReply;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetNote;
import dev.assay.frontend.watch.Patience;
import java.util.List;
import java.util.function.Supplier;

/** A tool that makes a run, or finds the result of an earlier one, and shows what it returned. */
abstract class QueryTool extends AnalyticsTool {
  /** The parameters that it shares with others. */
  final QueryParameters common;

  private final ToolDescription description;
  private final AnalyticsCall queries;

  QueryTool(ToolDescription description, QueryParameters common, AnalyticsCall queries) {
    this.description = description;
    this.common = common;
    this.queries = queries;
  }

  /**
   * What a call asks for.
   *
   * @param spec of the run, without its datasets
   * @param read the datasets that it reads, in their order
   * @param reply how its result is shown
   */
  record Query(AnalyticsRunSpec spec, List<Dataset> read, ResultReply reply) {
    Query {
      read = List.copyOf(read);
    }
  }

  /** Checks the arguments of a call. */
  abstract Query query(CallContext call, Arguments arguments) throws InterruptedException;

  @Override
  public final boolean createsRuns() {
    return true;
  }

  @Override
  public final ToolDescription description() {
    return description;
  }

  @Override
  public final String afterFailure(CallContext call) {
    return RunCall.afterFailure(call);
  }

  @Override
  final Reply answer(CallContext call, Arguments arguments) throws InterruptedException {
    Patience patience = common.patience(arguments);
    Query query = query(call, arguments);
    ResultReply reply = query.reply();
    return switch (queries.run(query.spec(), query.read(), reply::isWhole, patience, call)) {
      case AnalyticsCall.Done done -> reply.of(done.result()).marked(done.isUntrusted());
      case AnalyticsCall.Failed failed ->
          reply
              .failed(failed.error(), failed.queryId(), failed.partial())
              .marked(failed.isUntrusted());
      case AnalyticsCall.Continues continues ->
          reply.inProgress(continues.run(), patience.duration().toSeconds());
    };
  }

  /** What the paths of a call are. */
  final QueryFiles files(CallContext call, String parameter, List<String> paths) {
    return QueryFiles.of(queries.files(call), queries.artifacts(call), parameter, paths);
  }

  /** The notes of what a tool reads that reads one file, looked up when they are shown. */
  final Supplier<List<DatasetNote>> notes(CallContext call, QueryFiles.One file) {
    return () ->
        file.datasets().stream().flatMap(one -> queries.notes(call, one).stream()).toList();
  }

  /** The dataset or artifact of a tool that reads one. */
  final QueryFiles.One file(CallContext call, Arguments arguments) {
    return QueryFiles.one(
        queries.files(call),
        queries.artifacts(call),
        QueryParameters.FILE_PATH.name(),
        arguments.get(QueryParameters.FILE_PATH));
  }
}
