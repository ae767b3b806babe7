package dev.assay.frontend.token;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableFittingTest {
  private static final List<String> COLUMNS = List.of("id", "name", "note");

  @Test
  void aTableThatFitsIsShownAsItIs() {
    FittedTable table =
        TableFitting.fit(
            List.of("a", "b"),
            List.of(row(1, "x"), row(new BigDecimal("2.50"), null), row(true, "")),
            100,
            1500);

    assertThat(table.csv()).isEqualTo("a,b\n1,x\n2.50,\ntrue,\"\"\n");
    assertThat(table.rows())
        .containsExactly(row(1, "x"), row(new BigDecimal("2.50"), null), row(true, ""));
    assertThat(table.isComplete()).isTrue();
  }

  @Test
  void fieldsAreQuotedAndEachRowIsOneLine() {
    FittedTable table =
        TableFitting.fit(
            List.of("a,b", "say \"hi\"", "c"),
            List.of(
                row("one\ntwo", "x,\"y\"", " padded "),
                row("tab\there", "\r\n", "bell\u0007 half\uD800 line\u2028"),
                row(List.of(1, "x"), Map.of("k", List.of()), "\uD83D\uDE00")),
            100,
            1500);

    assertThat(table.csv())
        .isEqualTo(
            """
            "a,b","say ""hi""\",c
            one\\ntwo,"x,""y""\"," padded "
            tab\\there,\\r\\n,bell\\u0007 half\\ud800 line\\u2028
            "[1,""x""]","{""k"":[]}",\uD83D\uDE00
            """);
  }

  @Test
  void longCellsAreShortenedBeforeRowsAreLeftOut() {
    List<List<@Nullable Object>> rows =
        IntStream.range(0, 20)
            .mapToObj(i -> row(i, "name " + i, "a long remark about it ".repeat(40)))
            .toList();

    FittedTable table = TableFitting.fit(COLUMNS, rows, 100, 1000);

    assertThat(table.tokens()).isLessThanOrEqualTo(1000);
    assertThat(table.omittedRows()).isZero();
    assertThat(table.shortened()).containsExactly("note");
    assertThat(table.rows())
        .hasSize(20)
        .allSatisfy(row -> assertThat(row.get(1)).asString().startsWith("name"));
    assertThat(table.rows().getFirst().get(2)).asString().endsWith("…").hasSizeGreaterThan(60);
  }

  @Test
  void rowsAreLeftOutWhereShorterCellsAreNotEnough() {
    FittedTable table = TableFitting.fit(COLUMNS, numbers(1000, 3), 100, 400);

    assertThat(table.tokens()).isBetween(380, 400);
    assertThat(table.omittedRows()).isEqualTo(1000 - table.rows().size());
    assertThat(table.shortened()).isEmpty();
    assertThat(table.csv().lines().count()).isEqualTo(1 + table.rows().size());
  }

  @Test
  void moreRowsThanTheLimitAreLeftOutThoughTheyWouldFit() {
    FittedTable table = TableFitting.fit(COLUMNS, numbers(30, 3), 10, 1500);

    assertThat(table.rows()).hasSize(10);
    assertThat(table.omittedRows()).isEqualTo(20);
  }

  @Test
  void rowsThatWereAskedForAreShownBeyondTheBudgetAndTheirCellsShortened() {
    List<List<@Nullable Object>> rows =
        IntStream.range(0, 200).mapToObj(i -> row(i, i, "word ".repeat(30))).toList();

    FittedTable table = TableFitting.fit(COLUMNS, rows, new TableBudget(200, 1500, 20_000));

    assertThat(table.rows()).hasSize(200);
    assertThat(table.tokens()).isBetween(1500, 20_000);
    assertThat(table.shortened()).containsExactly("note");
    assertThat(
            TableFitting.fit(COLUMNS, numbers(1000, 3), new TableBudget(1000, 500, 2000)).tokens())
        .isBetween(1950, 2000);
  }

  @Test
  void columnsAreLeftOutWhereNotEvenOneRowHasRoom() {
    List<String> columns = IntStream.range(0, 5000).mapToObj(i -> "column_" + i).toList();

    FittedTable table = TableFitting.fit(columns, numbers(10, 5000), 100, 1500);

    assertThat(table.tokens()).isLessThanOrEqualTo(1500);
    assertThat(table.rows()).isNotEmpty();
    assertThat(table.columns()).hasSizeBetween(100, 400);
    assertThat(table.omittedColumns()).isEqualTo(5000 - table.columns().size());
    assertThat(table.rows().getFirst()).hasSameSizeAs(table.columns());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 100})
  void oneColumnAndOneRowAreAlwaysShownHoweverLittleRoomThereIs(int tokens) {
    FittedTable table =
        TableFitting.fit(
            List.of("x".repeat(100_000), "y".repeat(100_000)),
            List.of(row("z".repeat(1_000_000), 1), row("a", 2)),
            100,
            tokens);

    assertThat(table.columns().getFirst()).hasSizeLessThan(140);
    assertThat(table.rows().getFirst().getFirst()).asString().hasSizeLessThanOrEqualTo(128);
    assertThat(table.csv()).hasSizeLessThan(600);
  }

  @Test
  void longNamesThatBeginAlikeStayApart() {
    String name = "x".repeat(200);

    assertThat(TableFitting.fit(List.of(name + "a", name + "b"), List.of(), 10, 1500).columns())
        .doesNotHaveDuplicates()
        .allSatisfy(shown -> assertThat(shown).contains("…").hasSizeLessThan(140));
  }

  @Test
  void aTableWithoutRowsOrColumnsIsFine() {
    assertThat(TableFitting.fit(List.of("a"), List.of(), 10, 1500).csv()).isEqualTo("a\n");
    assertThat(TableFitting.fit(List.of(), List.of(), 10, 1500).isComplete()).isTrue();
    assertThat(TableFitting.fit(List.of(), List.of(row(), row()), 10, 1500).rows()).hasSize(2);
  }

  @Test
  void numbersAndTruthValuesAreNeverShortened() {
    BigDecimal exact = new BigDecimal("1234567890123456789012345678901234567890.125");
    FittedTable table = TableFitting.fit(List.of("a", "b"), List.of(row(exact, true)), 10, 1);

    assertThat(table.rows().getFirst().getFirst()).isEqualTo(exact);
  }

  @Test
  void aCellIsNeverCutBetweenTwoSurrogates() {
    for (int padding = 0; padding < 2; padding++) {
      String text = "x".repeat(padding) + "\uD83D\uDE00".repeat(1000);
      Object cell =
          TableFitting.fit(List.of("a"), List.of(row(text)), 1, 1).rows().getFirst().getFirst();

      assertThat(cell.toString().replace("\uD83D\uDE00", "").replace("…", ""))
          .isEqualTo("x".repeat(padding));
    }
  }

  private static List<List<@Nullable Object>> numbers(int rows, int columns) {
    return Collections.nCopies(
        rows, new ArrayList<>(Stream.generate(() -> (Object) 123).limit(columns).toList()));
  }

  private static List<@Nullable Object> row(@Nullable Object... cells) {
    return Arrays.asList(cells);
  }
}
