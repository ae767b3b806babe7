package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.ChartType;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads values of Pods, which may be anything. */
final class ValueReader {
  /** Of analytics, whose values have few control characters: what {@link RunValues} reserves. */
  static final int MAX_BYTES = 3 * 262_144;

  private static final int MAX_DEPTH = 64;
  private static final int MAX_NUMBER = 400;
  private static final int MAX_COLUMNS = 20_000;
  private static final int MAX_SUMMARIES = 256;
  private static final int MAX_WARNINGS = 20;
  private static final int MAX_LINE = 500;
  private static final int MAX_CONTEXT = 1_000;
  private static final int MAX_SAMPLES = 16;
  private static final int MAX_TOP = 1_000;
  private static final List<String> ENGINES = List.of("duckdb", "polars", "pandas");
  private static final List<String> CHARTS =
      KnownValues.of(ChartType.class).stream().map(ChartType::wireName).toList();
  private static final List<String> TYPES =
      List.of("int64", "float64", "string", "bool", "datetime", "category");

  private static final Set<String> NOT_FINITE = Set.of("Infinity", "-Infinity", "NaN");

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(MAX_NUMBER)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private ValueReader() {}

  static AnalyticsValue read(String json) {
    if (Text.bytes(json) > MAX_BYTES) {
      throw new InvalidValueException("it has more than " + MAX_BYTES + " bytes");
    }
    return value(members(json));
  }

  /** The members of a text that must be an object of JSON. */
  static Members members(String json) {
    try {
      return Members.of("value", JSON.readTree(json));
    } catch (JacksonException e) {
      throw new InvalidValueException("it is not JSON, or nested too deep");
    }
  }

  /**
   * A row of a table.
   *
   * @param json an array of so many cells
   */
  static List<@Nullable Object> row(byte[] json, int cells) {
    try {
      return row(JSON.readTree(json), cells);
    } catch (JacksonException e) {
      throw new InvalidValueException("a row is not JSON, or nested too deep");
    }
  }

  private static AnalyticsValue value(Members value) {
    @Nullable String engine = value.textOrNull("engine");
    @Nullable Long engineMs = value.countOrNull("engineMs");
    return new AnalyticsValue(
        value.object("table", ValueReader::table),
        value.object("profile", ValueReader::profile),
        value.object("sampling", ValueReader::sampling),
        value.object("chart", ValueReader::chart),
        lineOrNull(value, "chartError"),
        value.object("export", ValueReader::export),
        value.object("failure", ValueReader::failure),
        engine == null ? null : value.oneOf("engine", ENGINES),
        engineMs == null ? 0 : engineMs,
        value.countOrNull("rowsScanned"),
        value.flag("aggregation"),
        value.lines("warnings", MAX_WARNINGS, MAX_LINE),
        value.objects("summary", MAX_SUMMARIES, ValueReader::summary));
  }

  private static TableValue table(Members table) {
    List<TableValue.Column> columns =
        withDifferentNames(
            table.objects(
                "columns",
                MAX_COLUMNS,
                column -> new TableValue.Column(column.text("name"), column.text("type"))));
    List<List<@Nullable Object>> rows =
        table.list(
            "rows",
            Bounds.MAX_REPLY_ROWS,
            row -> withFloatingNumbers(row(row, columns.size()), columns));
    long total = table.count("totalRows");
    if (total < rows.size()) {
      throw new InvalidValueException("'value.table.totalRows' is less than there are rows");
    }
    return new TableValue(columns, rows, total);
  }

  private static List<@Nullable Object> row(JsonNode row, int cells) {
    if (!row.isArray() || row.size() != cells) {
      throw new InvalidValueException(
          "'value.table.rows' has one that is not an array of " + cells + " cells");
    }
    List<@Nullable Object> read = new ArrayList<>(cells);
    row.forEach(cell -> read.add(Members.cell(cell)));
    return read;
  }

  /** JSON has texts for infinities and NaN, which CSV tells from texts by their own notation. */
  private static List<@Nullable Object> withFloatingNumbers(
      List<@Nullable Object> row, List<TableValue.Column> columns) {
    for (int i = 0; i < row.size(); i++) {
      row.set(i, withFloatingNumber(row.get(i), columns.get(i)));
    }
    return row;
  }

  private static @Nullable Object withFloatingNumber(
      @Nullable Object value, TableValue.Column column) {
    return value instanceof String text && NOT_FINITE.contains(text) && column.isFloating()
        ? (Object) Double.valueOf(text)
        : value;
  }

  /** Rows become objects, whose members have different names, none of them blank. */
  private static List<TableValue.Column> withDifferentNames(List<TableValue.Column> columns) {
    Set<String> taken = new HashSet<>();
    Map<String, Integer> suffixes = new HashMap<>();
    List<TableValue.Column> different = new ArrayList<>(columns.size());
    for (TableValue.Column column : columns) {
      String wanted = column.name().isBlank() ? "column_" + (different.size() + 1) : column.name();
      String name = wanted;
      while (!taken.add(name)) {
        name = wanted + "_" + suffixes.merge(wanted, 1, Integer::sum);
      }
      different.add(new TableValue.Column(name, column.type()));
    }
    return different;
  }

  private static ColumnSummary summary(Members column) {
    TableValue.Column described = new TableValue.Column(column.text("name"), column.text("type"));
    return new ColumnSummary(
        described.name(),
        described.type(),
        column.countOrNull("nulls"),
        column.countOrNull("distinct"),
        column.flag("distinctApprox") ? true : null,
        withFloatingNumber(column.value("min"), described),
        withFloatingNumber(column.value("max"), described),
        column.value("mean"));
  }

  private static AnalyticsValue.Chart chart(Members chart) {
    return new AnalyticsValue.Chart(
        chart.oneOf("type", CHARTS),
        Text.oneLine(chart.text("x"), MAX_LINE),
        lineOrNull(chart, "y"),
        chart.count("points"),
        lineOrNull(chart, "note"));
  }

  private static AnalyticsValue.Export export(Members export) {
    List<String> paths = new ArrayList<>();
    long bytes = 0;
    for (Map.Entry<String, Long> file :
        export.objects("files", Bounds.MAX_ARTIFACTS, ValueReader::file)) {
      paths.add(file.getKey());
      bytes = Math.addExact(bytes, file.getValue());
    }
    return new AnalyticsValue.Export(paths, bytes, export.count("rows"));
  }

  private static Map.Entry<String, Long> file(Members file) {
    long bytes = file.count("bytes");
    if (bytes > Bounds.MAX_ARTIFACT_BYTES) {
      throw new InvalidValueException("'value.export.files' has one that is too long");
    }
    return Map.entry(Text.oneLine(file.text("path"), MAX_LINE), bytes);
  }

  private static @Nullable String lineOrNull(Members members, String name) {
    @Nullable String text = members.textOrNull(name);
    return text == null ? null : Text.oneLine(text, MAX_LINE);
  }

  private static Sampling sampling(Members sampling) {
    return new Sampling(
        sampling.oneOf("strategy", List.of("head", "random", "stratified", "systematic")),
        sampling.count("totalRows"),
        sampling.indexes("order", Bounds.MAX_REPLY_ROWS),
        Objects.requireNonNullElse(sampling.countOrNull("strata"), 0L),
        sampling.wholeOrNull("seed"));
  }

  private static Profile profile(Members profile) {
    return new Profile(
        profile.objects("columns", MAX_COLUMNS, ValueReader::columnProfile),
        profile.count("rowCount"),
        profile.count("columnCount"),
        profile.count("memoryBytes"),
        profile.count("fileBytes"),
        profile.number("qualityScore"),
        profile.countOrNull("duplicateRows"),
        profile.flag("duplicateRowsApprox") ? true : null,
        profile.lines("recommendations", MAX_WARNINGS, MAX_LINE));
  }

  private static ColumnProfile columnProfile(Members column) {
    List<ColumnProfile.Top> top =
        column.objects(
            "top", MAX_TOP, one -> new ColumnProfile.Top(one.value("value"), one.count("count")));
    return new ColumnProfile(
        column.text("name"),
        column.oneOf("type", TYPES),
        column.textOrNull("storedAs") == null ? null : "string",
        column.number("nullPct"),
        column.count("uniqueCount"),
        column.flag("uniqueCountApprox") ? true : null,
        column.<@Nullable Object>list("sampleValues", MAX_SAMPLES, Members::cell),
        column.value("min"),
        column.value("max"),
        column.value("mean"),
        column.value("q25"),
        column.value("q50"),
        column.value("q75"),
        top.isEmpty() ? null : top);
  }

  private static AnalyticsValue.Failure failure(Members failure) {
    @Nullable String context = failure.textOrNull("context");
    return new AnalyticsValue.Failure(
        failure.lines("suggestions", MAX_WARNINGS, MAX_LINE),
        context == null ? null : Text.prefix(context, MAX_CONTEXT),
        failure.textOrNull("missingName"));
  }
}
