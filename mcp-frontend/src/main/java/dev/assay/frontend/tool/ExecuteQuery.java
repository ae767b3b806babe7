package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.ChartType;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.frontend.analytics.AnalyticsError;
import dev.assay.frontend.analytics.ChartReply;
import dev.assay.frontend.analytics.Engine;
import dev.assay.frontend.analytics.QueryDocument;
import dev.assay.frontend.analytics.QueryReply;
import dev.assay.frontend.analytics.QueryType;
import dev.assay.frontend.analytics.ReturnFormat;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code execute_query}: a query in SQL, Polars or Python over some datasets. */
public final class ExecuteQuery extends QueryTool {
  private static final String NAME = "analytics_execute_query";
  private static final int DEFAULT_ROWS = 100;

  /** Each is compared with all datasets of a namespace. */
  private static final int MAX_FILES = 256;

  /** What a result is cut to where a call does not say how much it wants. */
  private static final int DEFAULT_TOKENS = 1_500;

  private static final Parameter<QueryType> TYPE =
      Parameter.required(
          "query_type",
          ArgumentTypes.choice(Arrays.asList(QueryType.values()), QueryType::wireName));
  private static final Parameter<String> QUERY =
      Parameter.required("query", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)))
          .describedAs(
              "polars_expr: one expression. python: script that sets result or ends in it");
  private static final Parameter<List<String>> FILES =
      Parameter.required(
              "files",
              ArgumentTypes.listOf(QueryParameters.PATH, MAX_FILES, QueryParameters.PATHS_LIMIT))
          .describedAs("Datasets (sales, sales_*), tables or variables so named; or" + " exports");
  private static final Parameter<Engine> ENGINE =
      Parameter.withDefault(
          "engine", ArgumentTypes.choice(Engine.all(), Engine::wireName), Engine.AUTO.wireName());
  private static final Parameter<Optional<Object>> PARAMETERS =
      Parameter.optional("parameters", ArgumentTypes.json(new Limit(Bounds.MAX_INPUT_BYTES)))
          .describedAs("For ?, $1 or $name");
  private static final Parameter<Optional<String>> TIME_ZONE =
      Parameter.optional("time_zone", ArgumentTypes.timeZone());
  private static final Parameter<Integer> LIMIT =
      Parameter.withDefault(
          "return_limit", ArgumentTypes.integer(1, Bounds.MAX_REPLY_ROWS), DEFAULT_ROWS);
  private static final Parameter<ReturnFormat> FORMAT =
      Parameter.withDefault(
          "return_format",
          ArgumentTypes.choice(Arrays.asList(ReturnFormat.values()), ReturnFormat::wireName),
          ReturnFormat.JSON.wireName());
  private static final Parameter<Optional<String>> CACHE_KEY =
      Parameter.optional("cache_key", ArgumentTypes.text(new Limit(Bounds.MAX_CACHE_NAME)));

  private static final Parameter<Boolean> GENERATE_CHART =
      Parameter.withDefault("generate_chart", ArgumentTypes.flag(), false);
  private static final Parameter<Optional<ChartType>> CHART_TYPE =
      Parameter.optional(
          "chart_type", ArgumentTypes.choice(KnownValues.of(ChartType.class), ChartType::wireName));
  private static final Parameter<Boolean> BASE64_IMAGE =
      Parameter.withDefault("base64_image", ArgumentTypes.flag(), false);

  /**
   * The tool.
   *
   * @param common the parameters that it shares with others
   */
  public ExecuteQuery(QueryParameters common, AnalyticsCall queries) {
    super(describe(common), common, queries);
  }

  private static ToolDescription describe(QueryParameters common) {
    return new ToolDescription(
        NAME,
        "Query datasets",
        """
            Queries datasets (CSV, Parquet) in SQL (DuckDB), Polars or pandas and returns a table, \
            or a chart (bar, line, histogram): how many, how much, number, count, total, sum, mean, \
            average, avg, median, percentile, min, max, first, last, share, percent; top N, \
            most, highest, biggest, best, rank; select, filter rows where, join, union, sort, \
            pivot, group by date, hour, day, week, month, year; running and moving averages. \
            Not to fetch all rows: aggregate.\
            """,
        Parameters.of(
            TYPE,
            QUERY,
            FILES,
            ENGINE,
            PARAMETERS,
            TIME_ZONE,
            LIMIT,
            FORMAT,
            GENERATE_CHART,
            CHART_TYPE,
            BASE64_IMAGE,
            CACHE_KEY,
            QueryParameters.MAX_TOKENS,
            common.timeout(),
            common.runClass(),
            common.waitSeconds()),
        QueryDocument.class,
        ToolDescription.Effects.RUNS_PYTHON,
        MethodKind.CALL);
  }

  @Override
  Query query(CallContext call, Arguments arguments) {
    QueryType type = arguments.get(TYPE);
    type.require(arguments.get(ENGINE));
    String query = arguments.get(QUERY);
    if (query.isBlank()) {
      throw BadArgumentException.value("'query' is empty");
    }
    @Nullable String input =
        arguments
            .get(PARAMETERS)
            .map(values -> QueryParameters.json(PARAMETERS, values))
            .orElse(null);
    ReturnFormat format = arguments.get(FORMAT);
    @Nullable ChartSpec chart = chart(arguments, format);
    AnalyticsRunSpec spec =
        common
            .spec(type.language(), NAME, arguments)
            .withCode(query)
            .withInput(input)
            .withReply(new ReplySpec(arguments.get(LIMIT), chart, timeZone(arguments, type)))
            .withCacheName(arguments.get(CACHE_KEY).filter(key -> !key.isEmpty()).orElse(null));
    QueryFiles files = files(call, FILES.name(), arguments.get(FILES));
    return new Query(
        spec.withInputs(files.inputsOrNull()),
        files.datasets(),
        new QueryReply(
            type,
            format,
            QueryParameters.budget(arguments, LIMIT, DEFAULT_TOKENS),
            chartReply(arguments, chart)));
  }

  /** A column of a frame has a zone of its own. */
  private static @Nullable String timeZone(Arguments arguments, QueryType type) {
    Optional<String> zone = arguments.get(TIME_ZONE);
    if (zone.isPresent() && type != QueryType.SQL) {
      throw BadArgumentException.value(
          "'time_zone' belongs to query_type sql: in "
              + type.wireName()
              + " convert the column, with dt."
              + (type == QueryType.PYTHON ? "tz_convert" : "convert_time_zone"));
    }
    return zone.orElse(null);
  }

  /** A type asks for a chart as well as the flag does. */
  private static @Nullable ChartSpec chart(Arguments arguments, ReturnFormat format) {
    Optional<ChartType> type = arguments.get(CHART_TYPE);
    boolean isWanted =
        arguments.get(GENERATE_CHART) || type.isPresent() || format == ReturnFormat.CHART;
    return isWanted ? new ChartSpec(type.orElse(null)) : null;
  }

  private static ChartReply chartReply(Arguments arguments, @Nullable ChartSpec chart) {
    boolean withText = arguments.get(BASE64_IMAGE);
    if (chart == null && withText) {
      throw BadArgumentException.value("'base64_image' belongs to generate_chart");
    }
    if (chart == null) {
      return ChartReply.NONE;
    }
    return withText ? ChartReply.WITH_TEXT : ChartReply.PICTURE;
  }

  @Override
  Reply refused(AnalyticsError error) {
    return QueryReply.refused(error);
  }
}
