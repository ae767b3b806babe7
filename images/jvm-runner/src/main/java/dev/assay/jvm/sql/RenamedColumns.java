package dev.assay.jvm.sql;

import dev.assay.jvm.engine.DatasetTable;
import dev.assay.jvm.engine.DatasetTable.Table;
import dev.assay.jvm.engine.DatasetTable.TableColumn;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import dev.assay.jvm.sql.Token.Kind;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Columns whose names differ in case only. SQL does not tell them apart, so that all but the first
 * have another name in the table, and the engine would answer a question for one of them by the
 * first.
 */
final class RenamedColumns {
  private final Session session;
  private final String code;

  /** By their names in the source. */
  private final Map<String, Renamed> renamed = new HashMap<>();

  RenamedColumns(Session session, String code) {
    this.session = session;
    this.code = code;
    for (DatasetTable dataset : session.datasets()) {
      Table table = dataset.table();
      if (table != null) {
        add(table.columns());
      }
    }
  }

  private record Renamed(String name, String twin) {}

  private void add(List<TableColumn> columns) {
    for (TableColumn column : columns) {
      String source = column.sourceName();
      if (!column.name().equals(source)) {
        columns.stream()
            .map(TableColumn::name)
            // The name of equal columns is that of the first.
            .filter(name -> name.equalsIgnoreCase(source) && !name.equals(source))
            .findFirst()
            .ifPresent(twin -> renamed.putIfAbsent(source, new Renamed(column.name(), twin)));
      }
    }
  }

  /** Refuses a query that names one exactly as the source does. */
  void requireNone(List<SqlStatement> statements) throws JobFailure, SQLException {
    if (renamed.isEmpty()) {
      return;
    }
    for (SqlStatement statement : statements) {
      List<Token> tokens = statement.tokens();
      for (int i = 0; i < tokens.size(); i++) {
        String name = name(tokens, i);
        Renamed found = name == null ? null : renamed.get(name);
        if (name != null && found != null) {
          throw failure(name, found, tokens.get(i));
        }
      }
    }
  }

  /** The name that a token may be of a column; null if it is none. */
  private @Nullable String name(List<Token> tokens, int at) throws SQLException {
    Token token = tokens.get(at);
    boolean isAlias =
        at > 0
            && tokens.get(at - 1).kind() == Kind.WORD
            && tokens.get(at - 1).text().equalsIgnoreCase("AS");
    if (isAlias) {
      return null;
    }
    if (token.kind() == Kind.NAME && token.text().length() > 1) {
      return token.text().substring(1, token.text().length() - 1).replace("\"\"", "\"");
    }
    boolean isField = at > 0 && tokens.get(at - 1).is(".");
    boolean isCall = at + 1 < tokens.size() && tokens.get(at + 1).is("(");
    boolean mayBeColumn =
        token.kind() == Kind.WORD
            && !isCall
            && renamed.containsKey(token.text())
            && (isField || !Keywords.isReserved(session.connection(), token.text()));
    return mayBeColumn ? token.text() : null;
  }

  private JobFailure failure(String name, Renamed column, Token token) {
    String own = Session.quoted(column.name());
    String twin = Session.quoted(column.twin());
    return new JobFailure(
        ErrorCode.QUERY_ERROR,
        "AmbiguousColumn",
        "Column %s is named %s in SQL, which does not tell it from %s by its case: write %s for it, or %s for the other"
            .formatted(name, column.name(), column.twin(), own, twin),
        Place.of(code, token.start()),
        List.of("Use " + own));
  }
}
