package dev.assay.jvm.builtin;

import dev.assay.jvm.engine.DatasetTable;
import dev.assay.jvm.engine.DatasetTable.TableColumn;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job.DatasetName;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.sql.NearNames;
import dev.assay.jvm.table.Column;
import dev.assay.jvm.table.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table that a built-in query reads.
 *
 * @param relation the table in SQL
 * @param mixed names of the columns that the snapshot stores as text
 * @param fileBytes size of the source
 */
public record BuiltinTable(
    Connection connection, String relation, Set<String> mixed, long fileBytes) {
  /** The resource name is first: only it is of one dataset alone. */
  private static final List<Function<DatasetName, String>> NAMES =
      List.of(DatasetName::name, DatasetName::displayName, DatasetName::tableName);

  public BuiltinTable {
    mixed = Set.copyOf(mixed);
  }

  /** The table of a dataset or of a file. */
  public static BuiltinTable find(Session session, TableName name) throws JobFailure {
    if (name.file() != null) {
      return ofFile(session, name.file());
    }
    return of(session, name.dataset() == null ? only(session) : named(session, name.dataset()));
  }

  private static BuiltinTable ofFile(Session session, String file) throws JobFailure {
    Path path = session.workspace().resolve(file).normalize();
    String relation = Session.literal(path.toString());
    try {
      BuiltinTable table =
          new BuiltinTable(session.connection(), relation, Set.of(), Files.size(path));
      table.columns();
      return table;
    } catch (SQLException | IOException e) {
      throw new JobFailure(
          ErrorCode.FILE_NOT_FOUND,
          "FileNotFound",
          "File '%s' is not a table that can be read: pass a CSV, JSON or Parquet file of this run"
              .formatted(Arguments.shown(file)));
    }
  }

  private static DatasetTable only(Session session) throws JobFailure {
    List<DatasetTable> datasets = session.datasets();
    if (datasets.isEmpty()) {
      throw Arguments.invalid("This run has no datasets: name one in its spec");
    }
    if (datasets.size() > 1) {
      throw Arguments.invalid(
          "Argument 'dataset' is missing: name one of the datasets of this run, which are: "
              + String.join(", ", displayNames(session)));
    }
    return datasets.getFirst();
  }

  private static DatasetTable named(Session session, String name) throws JobFailure {
    for (Function<DatasetName, String> kind : NAMES) {
      for (DatasetTable dataset : session.datasets()) {
        if (kind.apply(dataset.dataset()).equals(name)) {
          return dataset;
        }
      }
    }
    List<String> known = displayNames(session);
    throw new JobFailure(
        ErrorCode.FILE_NOT_FOUND,
        "DatasetNotFound",
        "Dataset '%s' is not one of this run; its datasets are: %s"
            .formatted(Arguments.shown(name), known.isEmpty() ? "none" : String.join(", ", known)),
        null,
        suggestions(name, known));
  }

  private static List<String> displayNames(Session session) {
    return session.datasets().stream().map(dataset -> dataset.dataset().displayName()).toList();
  }

  private static BuiltinTable of(Session session, DatasetTable dataset) throws JobFailure {
    DatasetTable.Table table = dataset.table();
    if (table == null || !dataset.hasColumns()) {
      throw dataset.noTable(null);
    }
    Set<String> mixed =
        table.columns().stream()
            .filter(column -> column.storedAs() != null)
            .map(TableColumn::name)
            .collect(Collectors.toSet());
    return new BuiltinTable(session.connection(), dataset.scan(table), mixed, table.sourceBytes());
  }

  /** A sentence with the name that was probably meant, if there is one. */
  public static List<String> suggestions(String wanted, Collection<String> names) {
    return NearNames.nearest(wanted, names).stream().map("Did you mean '%s'?"::formatted).toList();
  }

  /** Its columns, in order. */
  public List<Column> columns() throws SQLException {
    return TableReader.columns(connection, relation);
  }

  /** The number of its rows. */
  public long rows() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + relation)) {
      row.next();
      return row.getLong(1);
    }
  }
}
