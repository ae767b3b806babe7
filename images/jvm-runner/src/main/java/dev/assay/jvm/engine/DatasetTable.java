package dev.assay.jvm.engine;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job.DatasetName;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A dataset as the engine has it.
 *
 * @param dataset its names
 * @param directory of its snapshot
 * @param table null if its snapshot was made before tables were, or cannot be read
 */
public record DatasetTable(DatasetName dataset, Path directory, @Nullable Table table) {
  /** Reads a table of this dataset, in SQL; the names of views may be another dataset's. */
  public String scan(Table table) {
    String types =
        table.keys().entrySet().stream()
            .map(key -> Session.quoted(key.getKey()) + ": " + Session.quoted(key.getValue()))
            .collect(Collectors.joining(", "));
    String hive = ", hive_partitioning => " + table.hive();
    return table.files().stream()
            .map(file -> Session.literal(directory.toAbsolutePath() + "/" + file))
            .collect(Collectors.joining(", ", "read_parquet([", "]"))
        + hive
        + (types.isEmpty() ? ")" : ", hive_types => {" + types + "})");
  }

  /** Whether there is a table with columns. */
  public boolean hasColumns() {
    return table != null && !table.files().isEmpty();
  }

  /**
   * The failure of a query that needs the table of a dataset that has none.
   *
   * @param place where the query names it; null if it is no SQL
   */
  public JobFailure noTable(@Nullable Place place) {
    return table == null
        ? noTable(
            place,
            "no table, because it was loaded by an earlier version: load it again",
            "Load the dataset again")
        : noTable(
            place,
            "no columns, because its source was empty: see its description",
            "Load the dataset again from a source, or a sheet, that has columns");
  }

  private JobFailure noTable(@Nullable Place place, String lacking, String advice) {
    return new JobFailure(
        ErrorCode.SCHEMA_ERROR,
        "NoTable",
        "Dataset '%s' has %s".formatted(dataset.displayName(), lacking),
        place,
        List.of(advice));
  }

  /**
   * What the description of the snapshot says of its table.
   *
   * @param files patterns of Parquet files, relative to the snapshot; none without columns
   * @param hive whether directories such as {@code year=2024} are columns
   * @param keys the types of those columns in SQL
   * @param columns in order
   * @param rows their number
   * @param sourceBytes size of the source
   */
  public record Table(
      List<String> files,
      boolean hive,
      Map<String, String> keys,
      List<TableColumn> columns,
      long rows,
      long sourceBytes) {
    public Table {
      files = List.copyOf(files);
      keys = Map.copyOf(keys);
      columns = List.copyOf(columns);
    }
  }

  /**
   * A column of the table.
   *
   * @param sourceName its name in the source
   * @param type pandas' name of its type
   * @param storedAs {@code string} if it holds as text what the table cannot hold; else null
   */
  public record TableColumn(
      String name, String sourceName, String type, @Nullable String storedAs) {
    TableColumn withSourceName(String other) {
      return new TableColumn(name, other, type, storedAs);
    }
  }
}
