package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.AnalyticsException;
import dev.assay.frontend.analytics.ErrorCode;
import dev.assay.frontend.analytics.ExportDocument;
import dev.assay.frontend.analytics.ExportFormat;
import dev.assay.frontend.analytics.ExportFormat.Compression;
import dev.assay.frontend.analytics.ExportPath;
import dev.assay.frontend.analytics.ExportReply;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.NearNames;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.StoredTables;
import dev.assay.frontend.run.Text;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code export_result}: the rows of an earlier query as a file. */
public final class ExportResult extends QueryTool {
  private static final String NAME = "analytics_export_result";
  private static final int MAX_SHOWN = 80;
  private static final Limit TEXT_LIMIT = new Limit(1024);

  private static final Parameter<String> QUERY_ID =
      Parameter.required("query_id", ArgumentTypes.text(TEXT_LIMIT));
  private static final Parameter<ExportFormat> FORMAT =
      Parameter.withDefault(
          "format",
          ArgumentTypes.choice(Arrays.asList(ExportFormat.values()), ExportFormat::wireName),
          ExportFormat.PARQUET.wireName());
  private static final Parameter<String> DESTINATION =
      Parameter.required("destination", ArgumentTypes.text(TEXT_LIMIT))
          .describedAs("Folder below /workspace");
  private static final Parameter<Optional<String>> FILENAME =
      Parameter.optional("filename", ArgumentTypes.text(TEXT_LIMIT));
  private static final Parameter<Optional<String>> PARTITION_BY =
      Parameter.optional("partition_by", ArgumentTypes.text(TEXT_LIMIT));
  private static final Parameter<Optional<Compression>> COMPRESSION =
      Parameter.optional(
          "compression",
          ArgumentTypes.choice(Arrays.asList(Compression.values()), Compression::wireName));

  private final RunGateway runs;
  private final StoredTables tables;

  /**
   * The tool.
   *
   * @param common the parameters that it shares with others
   */
  public ExportResult(
      QueryParameters common, RunGateway runs, StoredTables tables, AnalyticsCall queries) {
    super(describe(common), common, queries);
    this.runs = runs;
    this.tables = tables;
  }

  private static ToolDescription describe(QueryParameters common) {
    return new ToolDescription(
        NAME,
        "Export a result",
        """
            Exports the result (output) of an earlier query: saves all its rows, up to 10000, to a \
            file (CSV, JSON, Parquet, Excel xlsx) with a link to download. Not for a dataset: \
            query it first.\
            """,
        Parameters.of(
            QUERY_ID,
            FORMAT,
            DESTINATION,
            FILENAME,
            PARTITION_BY,
            COMPRESSION,
            common.timeout(),
            common.runClass(),
            common.waitSeconds()),
        ExportDocument.class,
        ToolDescription.Effects.READS,
        MethodKind.CALL);
  }

  @Override
  Query query(CallContext call, Arguments arguments) throws InterruptedException {
    String queryId = arguments.get(QUERY_ID);
    ExportFormat format = arguments.get(FORMAT);
    Compression compression = format.compression(arguments.get(COMPRESSION));
    Optional<String> column = arguments.get(PARTITION_BY).filter(name -> !name.isEmpty());
    if (column.isPresent() && !format.canBePartitioned()) {
      throw BadArgumentException.value(
          "'partition_by' cannot be used for " + format.wireName() + ": use csv, json or parquet");
    }
    Optional<StoredTables.Part> table = tables.of(exportable(queryId, call), 0, 1, call.memory());
    String path = path(arguments, queryId, format, compression, column.isPresent());
    column.ifPresent(name -> table.ifPresent(found -> requireColumn(name, found.columns())));
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("format", format.wireName());
    values.put("compression", compression.wireName());
    values.put("path", path);
    column.ifPresent(name -> values.put("partitionBy", name));
    return new Query(
        common
            .builtin(Builtin.EXPORT, values, NAME, arguments)
            .withInputs(List.of(new RunInput(queryId, Artifact.RESULT, null))),
        List.of(),
        new ExportReply(path, table.map(StoredTables.Part::totalRows).orElse(0L)));
  }

  private static String path(
      Arguments arguments,
      String queryId,
      ExportFormat format,
      Compression compression,
      boolean isPartitioned) {
    String name = arguments.get(FILENAME).orElse(queryId);
    return ExportPath.of(
        arguments.get(DESTINATION), isPartitioned ? name : format.withExtension(name, compression));
  }

  private static void requireColumn(String name, List<String> columns) {
    if (columns.stream().noneMatch(name::equalsIgnoreCase)) {
      throw new AnalyticsException(
          ErrorCode.SCHEMA_ERROR,
          "'partition_by' names a column that the result does not have: '"
              + Text.oneLine(name, MAX_SHOWN)
              + "'."
              + NearNames.closest(name, columns)
                  .map(near -> " Did you mean '" + near + "'?")
                  .orElse(""));
    }
  }

  private AnalyticsRun exportable(String queryId, CallContext call) {
    String shown = Text.oneLine(queryId, MAX_SHOWN);
    Optional<AnalyticsRun> found =
        RunNames.isValid(queryId) ? runs.read(call.identity(), queryId) : Optional.empty();
    if (found.isEmpty()) {
      throw notFound(
          "There is no result '" + shown + "' in your namespace: it may have been deleted",
          "Run the query again, and export its query_id");
    }
    AnalyticsRun run = found.get();
    if (!RunState.hasEnded(run)) {
      throw notFound(
          "The query '" + shown + "' has not ended",
          "get_run(name=\"" + shown + "\", wait_seconds=30) waits for its end");
    }
    if (Artifact.find(run, Artifact.RESULT).isEmpty()) {
      throw notFound(
          RunState.phaseOf(run) == RunPhase.Succeeded
              ? "The run '" + shown + "' has no rows that could be exported"
              : "The query '" + shown + "' failed, and has no rows",
          "Run a query that returns rows, and export its query_id");
    }
    return run;
  }

  private static AnalyticsException notFound(String message, String suggestion) {
    return new AnalyticsException(
        AnalyticsError.of(ErrorCode.FILE_NOT_FOUND, message, List.of(suggestion), null));
  }

  @Override
  Reply refused(AnalyticsError error) {
    return ExportReply.refused(error);
  }
}
