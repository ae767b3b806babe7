package dev.assay.frontend.analytics;

import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a profile within a budget of tokens: each is shown in as much detail as there is
 * room for. The least informative lose theirs first; all are named, unless the names alone are too
 * many.
 *
 * @param shown in the order of the table
 * @param lines one for each of them
 * @param reduced how many of them lack some of what is known
 */
record ProfileColumns(List<ColumnProfile> shown, List<String> lines, int reduced) {
  private static final int MAX_NAME = 80;
  private static final int MAX_VALUE = 24;
  private static final int MAX_TOP = 3;
  private static final int MAX_SCALE = 15;
  private static final int DETAILS = Detail.values().length;

  /** How much is said of a column, most first. */
  private enum Detail {
    ALL,
    RANGE,
    TYPE
  }

  private record Draft(ColumnProfile column, Detail detail) {
    Draft less() {
      return new Draft(column, detail == Detail.ALL ? Detail.RANGE : Detail.TYPE);
    }

    ColumnProfile shown() {
      return switch (detail) {
        case ALL -> column;
        case RANGE -> column.withRangeAlone();
        case TYPE -> column.withoutValues();
      };
    }
  }

  /** As much of some columns as there is room for. */
  static ProfileColumns fit(List<ColumnProfile> columns, int tokens) {
    List<Draft> drafts =
        new ArrayList<>(columns.stream().map(column -> new Draft(column, Detail.ALL)).toList());
    int[] costs = drafts.stream().mapToInt(draft -> TokenEstimate.of(line(draft))).toArray();
    long cost = IntStream.of(costs).asLongStream().sum();
    List<Integer> leastInformativeFirst =
        IntStream.range(0, columns.size())
            .boxed()
            .sorted(Comparator.comparingDouble(i -> information(columns.get(i))))
            .toList();
    for (int step = 1; step < DETAILS; step++) {
      for (int i : leastInformativeFirst) {
        if (cost <= tokens) {
          break;
        }
        drafts.set(i, drafts.get(i).less());
        cost -= costs[i];
        costs[i] = TokenEstimate.of(line(drafts.get(i)));
        cost += costs[i];
      }
    }
    int shown = drafts.size();
    while (shown > 1 && cost > tokens) {
      shown--;
      cost -= costs[shown];
    }
    List<Draft> kept = drafts.subList(0, shown);
    return new ProfileColumns(
        kept.stream().map(Draft::shown).toList(),
        kept.stream().map(ProfileColumns::line).toList(),
        (int) kept.stream().filter(draft -> draft.detail() != Detail.ALL).count());
  }

  /** A column of one value, or of none, says nothing; one of only different values little. */
  private static double information(ColumnProfile column) {
    if (column.uniqueCount() <= 1) {
      return 0;
    }
    double present = 1 - Math.min(100, Math.max(0, column.nullPct())) / 100;
    boolean isKey = column.type().equals("string") && column.uniqueCount() > 10_000;
    return present * (isKey ? 0.5 : 1);
  }

  private static String line(Draft draft) {
    ColumnProfile column = draft.column();
    StringBuilder line =
        new StringBuilder(Text.name(column.name(), MAX_NAME)).append(": ").append(column.type());
    if (column.storedAs() != null) {
      line.append(" (stored as text)");
    }
    if (column.nullPct() > 0) {
      line.append(", ").append(number(column.nullPct())).append("% null");
    }
    if (draft.detail() == Detail.TYPE) {
      return line.append('\n').toString();
    }
    line.append(", ")
        .append(column.uniqueCountApprox() == null ? "" : "~")
        .append(column.uniqueCount())
        .append(" unique");
    if (column.min() != null && column.max() != null) {
      line.append(", ").append(value(column.min())).append("..").append(value(column.max()));
    }
    if (draft.detail() == Detail.ALL) {
      appendDetails(line, column);
    }
    return line.append('\n').toString();
  }

  private static void appendDetails(StringBuilder line, ColumnProfile column) {
    if (column.mean() != null) {
      line.append(", mean ").append(value(column.mean()));
    }
    if (column.q25() != null && column.q50() != null && column.q75() != null) {
      line.append(", quartiles ")
          .append(value(column.q25()))
          .append('/')
          .append(value(column.q50()))
          .append('/')
          .append(value(column.q75()));
    }
    if (column.top() != null) {
      line.append(", top ")
          .append(
              column.top().stream()
                  .limit(MAX_TOP)
                  .map(top -> value(top.value()) + " (" + top.count() + ")")
                  .collect(Collectors.joining(", ")));
    } else if (column.min() == null && !column.sampleValues().isEmpty()) {
      line.append(", such as ")
          .append(
              column.sampleValues().stream()
                  .limit(MAX_TOP)
                  .map(ProfileColumns::value)
                  .collect(Collectors.joining(", ")));
    }
  }

  private static String value(@Nullable Object value) {
    return switch (value) {
      case Double number when Double.isFinite(number) -> number(number);
      case BigDecimal number when Double.isFinite(number.doubleValue()) ->
          number(number.doubleValue());
      case null, default -> Text.oneLine(Objects.toString(value), MAX_VALUE);
    };
  }

  /** At most six significant digits: a profile is to be read. */
  private static String number(double number) {
    if (!Double.isFinite(number)) {
      return Double.toString(number);
    }
    BigDecimal rounded = new BigDecimal(number, new MathContext(6)).stripTrailingZeros();
    return Math.abs(rounded.scale()) > MAX_SCALE ? rounded.toString() : rounded.toPlainString();
  }
}
