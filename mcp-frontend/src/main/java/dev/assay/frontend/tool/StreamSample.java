package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.SampleDocument;
import dev.assay.frontend.analytics.SampleReply;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** {@code stream_sample}: some rows of a table. */
public final class StreamSample extends QueryTool {
  private static final String NAME = "analytics_stream_sample";
  private static final String STRATIFIED = "stratified";
  private static final List<String> WITH_SEED = List.of("random", STRATIFIED);
  private static final int DEFAULT_TOKENS = 800;

  /** Of the text of an argument: what a run takes as arguments is less than twice this. */
  private static final Limit COLUMNS_LIMIT = new Limit(8 * 1024);

  private static final Limit COLUMN_LIMIT = new Limit(1024);

  private static final Parameter<String> STRATEGY =
      Parameter.withDefault(
          "strategy",
          ArgumentTypes.choice(
              List.of("head", "random", STRATIFIED, "systematic"), UnaryOperator.identity()),
          "random");
  private static final Parameter<Integer> SIZE =
      Parameter.withDefault("sample_size", ArgumentTypes.integer(1, 100), 20);
  private static final Parameter<Optional<List<String>>> COLUMNS =
      Parameter.optional(
          "columns",
          ArgumentTypes.listOf(ArgumentTypes.text(COLUMN_LIMIT), COLUMNS_LIMIT).orNull());
  private static final Parameter<Optional<String>> STRATIFY =
      Parameter.optional("stratify_column", ArgumentTypes.text(COLUMN_LIMIT));
  private static final Parameter<Optional<Integer>> SEED =
      Parameter.optional("seed", ArgumentTypes.notNegative());

  /**
   * The tool.
   *
   * @param common the parameters that it shares with others
   */
  public StreamSample(QueryParameters common, AnalyticsCall queries) {
    super(describe(common), common, queries);
  }

  private static ToolDescription describe(QueryParameters common) {
    return new ToolDescription(
        NAME,
        "Sample rows",
        """
            Shows a sample of a dataset or file, a preview (peek) of example rows: the first lines \
            (head), random rows, every nth row, or a stratified subset by class. Not for counts.\
            """,
        Parameters.of(
            QueryParameters.FILE_PATH,
            STRATEGY,
            SIZE,
            COLUMNS,
            STRATIFY,
            SEED,
            QueryParameters.MAX_TOKENS,
            common.timeout(),
            common.runClass(),
            common.waitSeconds()),
        SampleDocument.class,
        ToolDescription.Effects.READS,
        MethodKind.CALL);
  }

  @Override
  Query query(CallContext call, Arguments arguments) {
    Map<String, Object> values = new LinkedHashMap<>();
    String strategy = arguments.get(STRATEGY);
    values.put("strategy", strategy);
    values.put("size", arguments.get(SIZE));
    arguments.get(COLUMNS).ifPresent(columns -> values.put("columns", notEmpty(columns)));
    if (strategy.equals(STRATIFIED)) {
      values.put("stratifyColumn", arguments.require(STRATIFY));
    } else if (arguments.has(STRATIFY)) {
      throw BadArgumentException.value("'stratify_column' belongs to strategy stratified");
    }
    if (arguments.has(SEED) && !WITH_SEED.contains(strategy)) {
      throw BadArgumentException.value("'seed' belongs to strategies random and stratified");
    }
    arguments.get(SEED).ifPresent(seed -> values.put("seed", seed));
    QueryFiles.One file = file(call, arguments);
    AnalyticsRunSpec spec = common.builtin(Builtin.SAMPLE, file, values, NAME, arguments);
    return new Query(
        spec,
        file.datasets(),
        new SampleReply(file.name(), QueryParameters.budget(arguments, SIZE, DEFAULT_TOKENS)));
  }

  private static List<String> notEmpty(List<String> columns) {
    if (columns.isEmpty()) {
      throw BadArgumentException.value("'columns' is empty; leave it out for all columns");
    }
    return columns;
  }

  @Override
  Reply refused(AnalyticsError error) {
    return SampleReply.refused(error);
  }
}
