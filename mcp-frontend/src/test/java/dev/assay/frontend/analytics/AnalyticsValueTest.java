package dev.assay.frontend.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnalyticsValueTest {
  @Test
  void aTableIsReadWithCellsAsTheyWereWritten() {
    AnalyticsValue value =
        AnalyticsValue.read(
            """
            {"table": {"columns": [{"name":"a","type":"BIGINT"},{"name":"b","type":"VARCHAR"}],
              "rows": [[1,"x"],[0.10,null],[123456789012345678901234567890,[1,{"k":true}]]],
              "totalRows": 15, "truncated": true},
             "engine":"duckdb","engineMs":12,"rowsScanned":336776,"aggregation":true,
             "cacheable":true,"warnings":["one\\ntwo"],
             "summary":[{"name":"a","type":"BIGINT","nulls":0,"distinct":3,"min":1,"max":9,"mean":4.5}],
             "further":"is ignored"}""");

    TableValue table = Objects.requireNonNull(value.table());
    assertThat(table.names()).containsExactly("a", "b");
    assertThat(table.rows())
        .containsExactly(
            List.of(1, "x"),
            Arrays.asList(new BigDecimal("0.10"), null),
            List.of(
                new BigInteger("123456789012345678901234567890"), List.of(1, Map.of("k", true))));
    assertThat(table.totalRows()).isEqualTo(15);
    assertThat(value.engine()).isEqualTo("duckdb");
    assertThat(value.rowsScanned()).isEqualTo(336776);
    assertThat(value.aggregation()).isTrue();
    assertThat(value.warnings()).containsExactly("one two");
    assertThat(value.summary().getFirst().mean()).isEqualTo(new BigDecimal("4.5"));
  }

  @Test
  void textsOfAPodAreCleaned() {
    AnalyticsValue value =
        AnalyticsValue.read(
            """
            {"table":{"columns":[{"name":"a\\u001b[31m","type":"VARCHAR"}],
              "rows":[["\\ud800x\\u0000"]],"totalRows":1}}""");

    assertThat(table(value).names()).containsExactly("a\uFFFD[31m");
    assertThat(table(value).rows()).containsExactly(List.of("\uFFFDx\uFFFD"));
  }

  @Test
  void columnsOfOneNameAreToldApart() {
    AnalyticsValue value =
        AnalyticsValue.read(
            """
            {"table":{"columns":[{"name":"a","type":"t"},{"name":"a_1","type":"t"},
              {"name":"a","type":"t"},{"name":"a","type":"t"}],"rows":[],"totalRows":0}}""");

    assertThat(table(value).names()).containsExactly("a", "a_1", "a_2", "a_3");
  }

  @Test
  void aColumnWithABlankNameHasThatOfItsPosition() {
    AnalyticsValue value =
        AnalyticsValue.read(
            """
            {"table":{"columns":[{"name":"","type":"t"},{"name":"column_3","type":"t"},
              {"name":" ","type":"t"}],"rows":[],"totalRows":0}}""");

    assertThat(table(value).names()).containsExactly("column_1", "column_3", "column_3_1");
  }

  @Test
  void manyColumnsOfOneNameTakeNoLongTime() {
    String column = "{\"name\":\"a\",\"type\":\"t\"}";
    String json =
        "{\"table\":{\"columns\":["
            + (column + ",").repeat(19_999)
            + column
            + "],\"rows\":[],\"totalRows\":0}}";

    assertThat(table(AnalyticsValue.read(json)).names()).hasSize(20_000).doesNotHaveDuplicates();
  }

  @Test
  void aProfileIsRead() {
    Profile profile =
        Objects.requireNonNull(
            AnalyticsValue.read(
                    """
                {"profile":{"columns":[{"name":"a","type":"datetime","storedAs":"string","nullPct":1.5,
                  "uniqueCount":3,"uniqueCountApprox":true,"sampleValues":["x",null],"min":1,"max":2,
                  "mean":1.5,"q25":1,"q50":1,"q75":2,"top":[{"value":"x","count":2}]}],
                  "rowCount":10,"columnCount":1,"memoryBytes":100,"fileBytes":50,"qualityScore":95.0,
                  "duplicateRows":null,"recommendations":["Drop 'a'"]},
                 "engine":"duckdb","engineMs":3,"rowsScanned":10,"cacheable":true,"warnings":[]}""")
                .profile());

    assertThat(profile.qualityScore()).isEqualTo(95);
    ColumnProfile column = profile.columns().getFirst();
    assertThat(column.storedAs()).isEqualTo("string");
    assertThat(column.uniqueCountApprox()).isTrue();
    assertThat(column.sampleValues()).containsExactly("x", null);
    assertThat(column.top()).containsExactly(new ColumnProfile.Top("x", 2));
  }

  @Test
  void aFailureAndASamplingAreRead() {
    AnalyticsValue value =
        AnalyticsValue.read(
            """
            {"failure":{"suggestions":["Use 'revenue'"],"line":1,"column":8,
              "context":"SELECT revenu\\n       ^"},
             "sampling":{"strategy":"head","rowsSampled":2,"totalRows":9,"columnsIncluded":["a"],
              "seed":null}}""");

    assertThat(value.failure())
        .isEqualTo(
            new AnalyticsValue.Failure(List.of("Use 'revenue'"), "SELECT revenu\n       ^", null));
    assertThat(value.sampling()).isEqualTo(new Sampling("head", 9, List.of(), 0, null));
  }

  private static TableValue table(AnalyticsValue value) {
    return Objects.requireNonNull(value.table());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "[]",
        "1",
        "{} {}",
        "{\"table\": 1}",
        "{\"table\": {\"columns\": []}}",
        "{\"table\": {\"columns\": {}, \"rows\": [], \"totalRows\": 0}}",
        "{\"table\": {\"columns\": [1], \"rows\": [], \"totalRows\": 0}}",
        "{\"table\": {\"columns\": [{\"name\": 1, \"type\": \"t\"}], \"rows\": [], \"totalRows\": 0}}",
        "{\"table\": {\"columns\": [{\"name\": \"a\", \"type\": \"t\"}], \"rows\": [[1, 2]], \"totalRows\": 1}}",
        "{\"table\": {\"columns\": [{\"name\": \"a\", \"type\": \"t\"}], \"rows\": [{}], \"totalRows\": 1}}",
        "{\"table\": {\"columns\": [], \"rows\": [[]], \"totalRows\": 0}}",
        "{\"table\": {\"columns\": [], \"rows\": [], \"totalRows\": -1}}",
        "{\"table\": {\"columns\": [], \"rows\": [], \"totalRows\": 1e99}}",
        "{\"engine\": \"mysql\"}",
        "{\"engineMs\": \"12\"}",
        "{\"warnings\": \"none\"}",
        "{\"warnings\": [1]}",
        "{\"aggregation\": 1}",
        "{\"summary\": [[]]}",
        "{\"sampling\": {\"strategy\": \"magic\", \"rowsSampled\": 1, \"totalRows\": 1}}",
        "{\"profile\": {\"columns\": [{\"name\": \"a\", \"type\": \"blob\"}]}}",
        "{\"profile\": {\"columns\": [], \"rowCount\": 1, \"columnCount\": 1, \"memoryBytes\": 1,"
            + " \"fileBytes\": 1, \"qualityScore\": 1e999}}",
        "{\"failure\": {\"suggestions\": {}}}",
      })
  void aValueOfAnotherFormIsRefused(String json) {
    assertThatThrownBy(() -> AnalyticsValue.read(json)).isInstanceOf(InvalidValueException.class);
  }

  @Test
  void whatIsTooDeepOrTooLargeIsRefused() {
    String deep = "[".repeat(65) + "]".repeat(65);
    String rows = "[],".repeat(1_000) + "[]";

    assertThatThrownBy(
            () ->
                AnalyticsValue.read(
                    "{\"table\":{\"columns\":[],\"rows\":[" + deep + "],\"totalRows\":1}}"))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> AnalyticsValue.read("{\"x\":\"" + "x".repeat(800_000) + "\"}"))
        .hasMessage("it has more than 786432 bytes");
    assertThatThrownBy(
            () ->
                AnalyticsValue.read(
                    "{\"table\":{\"columns\":[],\"rows\":[" + rows + "],\"totalRows\":1001}}"))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> AnalyticsValue.read("{\"x\":1" + "0".repeat(500) + "}"))
        .isInstanceOf(InvalidValueException.class);
  }
}
