package dev.assay.jvm;

import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.engine.Surroundings;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.DatasetName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A real engine over snapshots that a test makes, in a directory of its own. */
public final class TestEngine {
  private static final long MEMORY = 512L * 1024 * 1024;

  private final Path root;
  private final List<DatasetName> datasets = new ArrayList<>();
  private String python = "no-python";
  private long memoryBytes = MEMORY;
  private long temporaryBytes = MEMORY;

  public TestEngine(Path root) throws IOException {
    this.root = root;
    Files.createDirectories(root.resolve("datasets"));
    Files.createDirectories(root.resolve("inputs"));
    Files.createDirectories(root.resolve("workspace"));
    Files.createDirectories(root.resolve("scratch"));
  }

  /** Draws charts with another program. */
  public TestEngine drawingWith(Path program) {
    python = program.toString();
    return this;
  }

  /** Adds an artifact of another run, which holds the rows of a query as Parquet. */
  public TestEngine withInput(int number, String query) throws SQLException {
    copy(query, root.resolve("inputs").resolve(String.valueOf(number)));
    return this;
  }

  private static void copy(String query, Path target) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("COPY (" + query + ") TO '" + target + "' (FORMAT parquet)");
    }
  }

  /** Gives the engine less. */
  public TestEngine limitedTo(long memory, long temporary) {
    memoryBytes = memory;
    temporaryBytes = temporary;
    return this;
  }

  /** Adds a dataset whose table has the rows of a query. */
  public TestEngine with(String name, String displayName, String query)
      throws IOException, SQLException {
    String columns =
        """
        [{"name": "a", "type": "int64", "storedAs": null},
         {"name": "b", "type": "object", "storedAs": "string"}]
        """;
    return with(name, displayName, query, columns, columns);
  }

  /**
   * Adds a dataset whose table has the rows of a query.
   *
   * @param sources the columns of the source in the description of its snapshot
   * @param columns those of the table
   */
  public TestEngine with(
      String name, String displayName, String query, String sources, String columns)
      throws IOException, SQLException {
    Path directory = Files.createDirectories(root.resolve("datasets").resolve(name));
    copy(query, directory.resolve("frame.parquet"));
    Files.writeString(
        directory.resolve("description.json"),
        """
        {"version": 3, "format": "csv", "source": {"file": "source.csv", "bytes": 7, "sha256": "0"},
         "columns": %s,
         "table": {"files": ["frame.parquet"], "hive": false, "rows": 3, "columns": %s}}
        """
            .formatted(sources, columns));
    datasets.add(new DatasetName(name, displayName));
    return this;
  }

  /** Adds a dataset of a folder that is partitioned by a text. */
  public TestEngine partitioned(String name, String key, String value, String query)
      throws IOException, SQLException {
    Path directory = root.resolve("datasets").resolve(name);
    String folder = "source/" + key + "=" + value;
    copy(query, Files.createDirectories(directory.resolve(folder)).resolve("part.parquet"));
    Files.writeString(
        directory.resolve("description.json"),
        """
        {"version": 3, "format": "parquet", "columns": [],
         "table": {"files": ["source/**/*.parquet"], "hive": true, "keys": {"%s": "VARCHAR"},
                   "rows": 1, "columns": []}}
        """
            .formatted(key));
    datasets.add(new DatasetName(name, name));
    return this;
  }

  /** Adds a dataset of an earlier version, which has no table. */
  public TestEngine withoutTable(String name) throws IOException {
    Path directory = Files.createDirectories(root.resolve("datasets").resolve(name));
    Files.writeString(directory.resolve("description.json"), "{\"version\": 2, \"rows\": 1}");
    datasets.add(new DatasetName(name, name));
    return this;
  }

  /** Adds a dataset of a source without columns, such as an empty sheet. */
  public TestEngine withoutColumns(String name) throws IOException {
    Path directory = Files.createDirectories(root.resolve("datasets").resolve(name));
    Files.writeString(
        directory.resolve("description.json"),
        """
        {"version": 4, "columns": [], "table": {"files": [], "hive": false, "columns": []}}
        """);
    datasets.add(new DatasetName(name, name));
    return this;
  }

  public Surroundings surroundings() {
    return new Surroundings(
        root.resolve("datasets"),
        root.resolve("inputs"),
        root.resolve("workspace"),
        root.resolve("scratch"),
        python,
        memoryBytes,
        temporaryBytes);
  }

  /** Starts the engine with the views of the datasets. */
  public Session open() throws IOException, SQLException {
    return open(null);
  }

  /** Starts the engine in a time zone. */
  public Session open(@Nullable String timeZone) throws IOException, SQLException {
    return Engine.start(surroundings()).open(datasets, timeZone);
  }

  /** A query over the datasets. */
  public Job query(String code, @Nullable String input) {
    return new Job("sql", code, "", input, datasets);
  }
}
