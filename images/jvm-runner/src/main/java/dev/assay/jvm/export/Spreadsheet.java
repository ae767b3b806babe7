package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.Column;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.Collectors;
import org.dhatim.fastexcel.Workbook;
import org.dhatim.fastexcel.Worksheet;
import org.jspecify.annotations.Nullable;

/**
 * Writes a result as a workbook of one sheet. Texts are never formulas. Times with a zone are in
 * UTC, and what a cell cannot hold as a number or a date is text.
 */
final class Spreadsheet {
  private static final int MAX_CELL_CHARACTERS = 32_767;
  private static final int MAX_EXACT_DIGITS = 15;
  private static final String DATE_FORMAT = "yyyy-mm-dd";
  private static final String TIME_FORMAT = "yyyy-mm-dd hh:mm:ss";
  private static final LocalDate FIRST_DATE = LocalDate.of(1900, 3, 1);
  private static final LocalDate LAST_DATE = LocalDate.of(9999, 12, 31);

  private final List<Column> columns;
  private final Worksheet sheet;

  private Spreadsheet(List<Column> columns, Worksheet sheet) {
    this.columns = columns;
    this.sheet = sheet;
  }

  static void write(StoredResult result, Path file) throws JobFailure, SQLException, IOException {
    if (result.columns().size() > Worksheet.MAX_COLS) {
      throw Arguments.invalid(
          "The result has %,d columns, and a sheet %,d: choose the format parquet"
              .formatted(result.columns().size(), Worksheet.MAX_COLS));
    }
    boolean isComplete = false;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file));
        Workbook workbook = new Workbook(out, "Assay", null)) {
      Worksheet sheet = workbook.newWorksheet("result");
      new Spreadsheet(result.columns(), sheet).write(result);
      isComplete = true;
    } finally {
      if (!isComplete) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void write(StoredResult result) throws JobFailure, SQLException {
    for (int i = 0; i < columns.size(); i++) {
      sheet.inlineString(0, i, columns.get(i).name());
    }
    String selected =
        columns.stream().map(Spreadsheet::expression).collect(Collectors.joining(", "));
    try (Statement statement = result.connection().createStatement();
        ResultSet row =
            statement.executeQuery("SELECT " + selected + " FROM " + result.relation())) {
      int rows = 0;
      while (row.next()) {
        rows++;
        for (int i = 0; i < columns.size(); i++) {
          write(rows, i, row.getObject(i + 1));
        }
      }
      if (rows > 0) {
        formatTimes(rows);
      }
    }
  }

  /** Of cells: readers look at the format of a column only for cells that it does not have. */
  private void formatTimes(int rows) {
    for (int i = 0; i < columns.size(); i++) {
      String format = format(columns.get(i).type());
      if (format != null) {
        sheet.range(1, i, rows, i).style().format(format).set();
      }
    }
  }

  private static @Nullable String format(String type) {
    if (type.equals("DATE")) {
      return DATE_FORMAT;
    }
    return type.startsWith("TIMESTAMP") ? TIME_FORMAT : null;
  }

  private static String expression(Column column) {
    String name = Session.quoted(column.name());
    String type = column.type();
    if (type.startsWith("TIMESTAMP")) {
      return "CAST(%s AS TIMESTAMP)".formatted(name);
    }
    boolean isNative =
        type.equals("BOOLEAN")
            || type.equals("DATE")
            || type.equals("FLOAT")
            || type.equals("DOUBLE")
            || type.startsWith("DECIMAL")
            || type.endsWith("INT")
            || type.endsWith("INTEGER");
    return isNative ? name : "CAST(%s AS VARCHAR)".formatted(name);
  }

  private void write(int row, int column, @Nullable Object value) throws JobFailure {
    switch (value) {
      case null -> {
        // An empty cell.
      }
      case Boolean truth -> sheet.value(row, column, truth);
      case Double number -> writeNumber(row, column, number);
      case Float number ->
          writeNumber(row, column, new BigDecimal(number.toString()).doubleValue());
      case LocalDate date -> writeDate(row, column, date);
      case java.sql.Date date -> writeDate(row, column, date.toLocalDate());
      case java.sql.Timestamp time -> writeTime(row, column, time.toLocalDateTime());
      case LocalDateTime time -> writeTime(row, column, time);
      case Number number -> writeExact(row, column, new BigDecimal(number.toString()));
      default -> writeText(row, column, value.toString());
    }
  }

  private void writeNumber(int row, int column, double number) {
    if (Double.isFinite(number)) {
      sheet.value(row, column, number);
    } else {
      sheet.inlineString(row, column, Double.toString(number));
    }
  }

  /** A cell holds a number as a double. */
  private void writeExact(int row, int column, BigDecimal number) {
    if (number.stripTrailingZeros().precision() <= MAX_EXACT_DIGITS) {
      sheet.value(row, column, number);
    } else {
      sheet.inlineString(row, column, number.toPlainString());
    }
  }

  /** Spreadsheets count days from 1900, with a day that there was not before March. */
  private static boolean isDate(LocalDate date) {
    return !date.isBefore(FIRST_DATE) && !date.isAfter(LAST_DATE);
  }

  private void writeDate(int row, int column, LocalDate date) {
    if (isDate(date)) {
      sheet.value(row, column, date);
    } else {
      sheet.inlineString(row, column, date.toString());
    }
  }

  private void writeTime(int row, int column, LocalDateTime time) {
    if (isDate(time.toLocalDate())) {
      sheet.value(row, column, time);
    } else {
      sheet.inlineString(row, column, time.toString());
    }
  }

  private void writeText(int row, int column, String text) throws JobFailure {
    if (text.length() > MAX_CELL_CHARACTERS) {
      throw Arguments.invalid(
          ("Column '%s' has a text of %,d characters, and a cell of a sheet holds %,d: choose"
                  + " another format")
              .formatted(
                  Arguments.shown(columns.get(column).name()), text.length(), MAX_CELL_CHARACTERS));
    }
    sheet.inlineString(row, column, text);
  }
}
