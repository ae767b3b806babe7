package dev.assay.jvm.engine;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job.DatasetName;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A dataset as the engine has it.
 *
 * @param dataset its names
 * @param directory of its snapshot
 * @param table null if its snapshot was made before tables were
 */
public record DatasetTable(DatasetName dataset, Path directory, @Nullable Table table) {
  /** Reads a table of this dataset, in SQL; the names of views may be another dataset's. */
  public String scan(Table table) {
    return table.files().stream()
        .map(file -> Session.literal(directory.toAbsolutePath() + "/" + file))
        .collect(
            Collectors.joining(
                ", ", "read_parquet([", "], hive_partitioning => " + table.hive() + ")"));
  }

  /**
   * The failure of a query that needs the table of a dataset that has none.
   *
   * @param place where the query names it; null if it is no SQL
   */
  public JobFailure noTable(@Nullable Place place) {
    return new JobFailure(
        ErrorCode.SCHEMA_ERROR,
        "NoTable",
        "Dataset '%s' has no table, because it was loaded by an earlier version: load it again"
            .formatted(dataset.displayName()),
        place,
        List.of("Load the dataset again"));
  }

  /**
   * What the description of the snapshot says of its table.
   *
   * @param files patterns of Parquet files, relative to the snapshot
   * @param hive whether directories such as {@code year=2024} are columns
   * @param columns in order
   * @param rows their number
   * @param sourceBytes size of the source
   */
  public record Table(
      List<String> files, boolean hive, List<TableColumn> columns, long rows, long sourceBytes) {
    public Table {
      files = List.copyOf(files);
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
