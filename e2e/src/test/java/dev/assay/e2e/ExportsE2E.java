package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exported files, which readers outside of Assay find to be the rows that the agent saw. */
@FullEverywhere
class ExportsE2E {
  private static final String EXPORT = "analytics_export_result";

  /** Of each type, with a formula, quotes, a line feed, and missing values. */
  private static final String ROWS =
      """
      SELECT i AS id, 'r' || (i % 3) AS region, i / 2 AS amount,
        DATE '2024-02-27' + i::INT AS day, i % 2 = 0 AS even,
        CASE WHEN i % 5 > 0 THEN '=1+1, "ä"' || chr(10) || 'x' || i END AS note
      FROM range(40) AS t(i) ORDER BY i
      """;

  /** Prints rows as arrays, by each library that reads the format. */
  private static final String READ =
      """
      import datetime, json, math, pathlib, sys
      import duckdb
      import pandas as pd

      COLUMNS = ["id", "region", "amount", "day", "even", "note"]

      def cell(value):
          if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
              return None
          if isinstance(value, datetime.datetime):
              return value.date().isoformat()
          if isinstance(value, datetime.date):
              return value.isoformat()
          return value.item() if hasattr(value, "item") else value

      def rows(values):
          return sorted(([cell(value) for value in row] for row in values), key=lambda row: row[0])

      def of_pandas(frame):
          return rows(frame[COLUMNS].itertuples(index=False, name=None))

      def of_duckdb(relation):
          return rows(duckdb.sql(f"SELECT {', '.join(COLUMNS)} FROM {relation}").fetchall())

      root = pathlib.Path(sys.argv[1])
      (first, *more) = files = [path for path in root.rglob("*") if path.is_file()]
      name, found = first.name, {}
      pattern = str(root / "**" / ("*" + "".join(first.suffixes)))
      if ".csv" in name:
          found["duckdb"] = of_duckdb(f"read_csv('{pattern}', hive_partitioning = true)")
          if not name.endswith(".zst") and not more:
              found["pandas"] = of_pandas(pd.read_csv(first))
      elif ".json" in name:
          found["duckdb"] = of_duckdb(f"read_json('{pattern}', hive_partitioning = true)")
          if not name.endswith(".zst") and not more:
              found["pandas"] = of_pandas(pd.read_json(first))
      elif name.endswith(".parquet"):
          found["duckdb"] = of_duckdb(f"read_parquet('{pattern}', hive_partitioning = true)")
          found["pandas"] = of_pandas(pd.concat([
              pd.read_parquet(path, partitioning=None).assign(
                  **dict(part.split("=") for part in path.parts if "=" in part))
              for path in files]))
      else:
          import openpyxl
          header, *cells = openpyxl.load_workbook(first).active.iter_rows()
          assert [cell.value for cell in header] == COLUMNS
          assert not any(cell.data_type == "f" for row in cells for cell in row)
          found["openpyxl"] = rows([cell.value for cell in row] for row in cells)
          found["pandas"] = of_pandas(pd.read_excel(first))
      codec = None
      if name.endswith(".parquet"):
          codecs = duckdb.sql(f"SELECT DISTINCT compression FROM parquet_metadata('{pattern}')")
          ((codec,),) = codecs.fetchall()
      print(json.dumps({
          "files": len(files),
          "start": first.read_bytes()[:4].hex(),
          "codec": codec,
          "rows": found,
      }))
      """;

  @TempDir private Path folder;

  @Core
  @ParameterizedTest
  @CsvSource({
    "csv, , sales.csv, , ",
    "csv, none, sales.csv, , ",
    "csv, gzip, sales.csv.gz, 1f8b, ",
    "csv, zstd, sales.csv.zst, 28b52ffd, ",
    "json, , sales.json, , ",
    "json, gzip, sales.json.gz, 1f8b, ",
    "json, zstd, sales.json.zst, 28b52ffd, ",
    "parquet, , sales.parquet, 50415231, SNAPPY",
    "parquet, none, sales.parquet, 50415231, UNCOMPRESSED",
    "parquet, gzip, sales.parquet, 50415231, GZIP",
    "parquet, snappy, sales.parquet, 50415231, SNAPPY",
    "parquet, zstd, sales.parquet, 50415231, ZSTD",
    "xlsx, , sales.xlsx, 504b0304, ",
    "xlsx, gzip, sales.xlsx, 504b0304, ",
  })
  void aFileHasTheRowsThatTheAgentSaw(
      String format, String compression, String name, String start, String codec, Assay assay)
      throws IOException {
    JsonNode result = rows(assay, ROWS);
    Map<String, Object> wanted =
        arguments(result, "/workspace/exports/deep/er", Map.of("format", format));
    wanted.put("filename", "sales");
    if (compression != null) {
      wanted.put("compression", compression);
    }
    Reply reply = assay.call(EXPORT, wanted).orFail();

    JsonNode export = reply.document();
    assertThat(export.path("output_path").asText()).isEqualTo("/workspace/exports/deep/er/" + name);
    assertThat(export.path("row_count").asInt()).isEqualTo(40);
    assertThat(export.path("files_created")).hasSize(1);
    assertThat(reply.tokens()).isLessThan(100);
    assertThat(reply.files()).singleElement().asString().endsWith("/exports/deep/er/" + name);
    assertThat(download(export, assay)).containsExactly("exports/deep/er/" + name);
    assertThat(Files.size(folder.resolve("exports/deep/er/" + name))).isPositive();
    JsonNode read = OutsidePython.json(folder, READ);
    assertThat(read.path("start").asText()).startsWith(start == null ? "" : start);
    assertThat(read.path("codec").asText("")).isEqualTo(codec == null ? "" : codec);
    assertSame(result, read.path("rows"));
  }

  @ParameterizedTest
  @CsvSource({
    "csv, none, part_0.csv",
    "csv, gzip, part_0.csv.gz",
    "json, none, part_0.json",
    "parquet, zstd, part_0.parquet",
  })
  void eachValueOfAColumnHasAFile(String format, String compression, String name, Assay assay) {
    JsonNode result = rows(assay, ROWS);
    Map<String, Object> wanted = arguments(result, "exports", Map.of("format", format));
    wanted.put("filename", "by region");
    wanted.put("compression", compression);
    wanted.put("partition_by", "REGION");
    JsonNode export = assay.call(EXPORT, wanted).orFail().document();

    assertThat(export.path("output_path").asText()).isEqualTo("/workspace/exports/by region");
    assertThat(download(export, assay))
        .containsExactlyInAnyOrder(
            "exports/by region/region=r0/" + name,
            "exports/by region/region=r1/" + name,
            "exports/by region/region=r2/" + name);
    JsonNode read = OutsidePython.json(folder, READ);
    assertThat(read.path("files").asInt()).isEqualTo(3);
    assertSame(result, read.path("rows"));
  }

  @Core
  @Test
  void anExportIsAFileOfALaterQueryByItsPathAndByItsLink(Assay assay) {
    Map<String, Object> wanted =
        arguments(rows(assay, ROWS), "/workspace/exports", Map.of("filename", "later"));
    Reply reply = assay.call(EXPORT, wanted).orFail();
    for (String file : List.of("/workspace/exports/later.parquet", reply.files().getFirst())) {
      assertThat(
              Query.sql(assay, "SELECT sum(id) AS s FROM 'exports/later.parquet'", file)
                  .result()
                  .at("/data/0/s")
                  .asInt())
          .as(file)
          .isEqualTo(780);
    }
  }

  @Test
  void aFileWithoutANameIsCalledAsTheQuery(Assay assay) {
    JsonNode result = rows(assay, "SELECT 1 AS n");
    JsonNode export =
        assay.call(EXPORT, arguments(result, "/workspace", Map.of())).orFail().document();
    assertThat(export.path("output_path").asText())
        .isEqualTo("/workspace/" + result.path("query_id").asText() + ".parquet");
  }

  @Test
  void ofALongResultTheStoredRowsAreExportedAndTheReplySaysSo(Assay assay) {
    JsonNode result = rows(assay, "SELECT i AS id FROM range(10500) AS t(i)");
    Reply reply =
        assay.call(EXPORT, arguments(result, "exports", Map.of("format", "csv"))).orFail();
    assertThat(reply.document().path("row_count").asInt()).isEqualTo(10_000);
    assertThat(reply.text())
        .contains(
            "warning: the result has 10500 rows; only the first 10000 are stored and exported")
        .contains("COPY (SELECT ...) TO 'artifacts/rows.parquet'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "format | pdf | 4001 | 'format'",
        "destination | /etc | 4001 | outside of /workspace",
        "destination | /workspace/../etc | 4001 | '..'",
        "destination | ../x | 4001 | '..'",
        "destination | s3://bucket/x | 4001 | is a URL",
        "destination | /workspace/results | 4001 | used by Assay itself",
        "filename | a/b | 4001 | 'filename' must be a name",
        "filename | ../a | 4001 | 'filename' must be a name",
        "compression | lz4 | 4001 | 'compression'",
        "partition_by | regoin | 4003 | Did you mean 'region'?",
        "partition_by | id | 4001 | a column of 120 values",
        "query_id | run-aaaaaaaaaaaaaaa | 4002 | There is no result",
        "query_id | ../../x | 4002 | There is no result",
      })
  void aBadArgumentIsNamed(String name, String value, int code, String words, Assay assay) {
    JsonNode result = rows(assay, ROWS.replace("range(40)", "range(120)"));
    Map<String, Object> wanted = arguments(result, "/workspace/exports", Map.of());
    wanted.put(name, value);
    assertRefused(assay, wanted, code, words);
  }

  @ParameterizedTest
  @CsvSource({
    "csv, compression, snappy",
    "json, compression, snappy",
    "xlsx, partition_by, region",
  })
  void whatAFormatDoesNotHaveIsRefused(String format, String name, String value, Assay assay) {
    Map<String, Object> wanted =
        arguments(rows(assay, ROWS), "/workspace/exports", Map.of("format", format));
    wanted.put(name, value);
    assertRefused(assay, wanted, 4001, "cannot be used for " + format);
  }

  @Test
  void aColumnOfNineThousandValuesIsNotDividedIntoFiles(Assay assay) {
    JsonNode result = rows(assay, "SELECT i AS id, i % 9000 AS k FROM range(9500) AS t(i)");
    Map<String, Object> wanted = arguments(result, "exports", Map.of("partition_by", "k"));
    assertRefused(assay, wanted, 4001, "a column of 9,000 values");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT 1 AS n WHERE false", "SELECT nothing", "SELECT error('no')"})
  void aResultWithoutRowsIsRefused(String sql, Assay assay) {
    Reply query = Query.sql(assay, sql).reply();
    assertRefused(
        assay,
        arguments(query.document(), "/workspace/exports", Map.of()),
        4002,
        query.isError() ? "failed, and has no rows" : "has no rows");
  }

  @Test
  void aResultThatWasDeletedIsGone(Assay assay) {
    JsonNode result = rows(assay, "SELECT 1 AS n");
    assay.runs().inNamespace(assay.namespace()).withName(result.path("query_id").asText()).delete();
    assertRefused(assay, arguments(result, "exports", Map.of()), 4002, "it may have been deleted");
  }

  private static void assertRefused(
      Assay assay, Map<String, Object> arguments, int code, String words) {
    Reply reply = assay.call(EXPORT, arguments);
    assertThat(reply.isError()).as(reply.text()).isTrue();
    assertThat(reply.text()).startsWith("ERROR " + code + " ").contains(words);
    assertThat(reply.files()).isEmpty();
    assertThat(reply.document().path("exported").asBoolean()).isFalse();
    assertThat(reply.document().at("/error/code").asInt()).isEqualTo(code);
  }

  private static JsonNode rows(Assay assay, String sql) {
    return Query.sql(assay, sql).with("return_limit", 1000).with("max_tokens", 20_000).result();
  }

  private static Map<String, Object> arguments(
      JsonNode result, String destination, Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("query_id", result.path("query_id").asText());
    arguments.put("destination", destination);
    return arguments;
  }

  private List<String> download(JsonNode export, Assay assay) {
    return assay.rest().download(export.path("query_id").asText(), folder);
  }

  private static void assertSame(JsonNode result, JsonNode read) {
    List<List<JsonNode>> seen = new ArrayList<>();
    result.path("data").forEach(row -> seen.add(row.valueStream().toList()));
    assertThat(read).isNotEmpty();
    read.properties()
        .forEach(
            reader -> {
              assertThat(reader.getValue()).as(reader.getKey()).hasSameSizeAs(seen);
              for (int row = 0; row < seen.size(); row++) {
                List<JsonNode> cells = reader.getValue().get(row).valueStream().toList();
                assertThat(cells).hasSameSizeAs(seen.get(row));
                for (int i = 0; i < cells.size(); i++) {
                  assertThat(EngineRows.agree(seen.get(row).get(i), cells.get(i)))
                      .as("%s, row %d: %s is %s", reader.getKey(), row, seen.get(row), cells)
                      .isTrue();
                }
              }
            });
  }
}
