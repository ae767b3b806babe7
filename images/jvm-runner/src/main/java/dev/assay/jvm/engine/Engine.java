package dev.assay.jvm.engine;

import dev.assay.jvm.engine.DatasetTable.Table;
import dev.assay.jvm.job.Job.DatasetName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/** DuckDB in memory, limited to what a run may read, write and take. */
public final class Engine implements AutoCloseable {
  /** Where files are that another process has open. */
  private static final Path DESCRIPTORS = Path.of("/proc");

  private final Surroundings surroundings;
  private final Connection connection;

  private Engine(Surroundings surroundings, Connection connection) {
    this.surroundings = surroundings;
    this.connection = connection;
  }

  /** Starts the engine with its settings. */
  public static Engine start(Surroundings surroundings) throws SQLException, IOException {
    // DriverManager would search all modules for drivers first.
    Connection connection = new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
    try (Statement statement = connection.createStatement()) {
      statement.execute(String.join(";\n", settings(surroundings)));
    }
    return new Engine(surroundings, connection);
  }

  private static List<String> settings(Surroundings where) throws IOException {
    String own = where.scratch().resolve(".duckdb").toString();
    return List.of(
        "SET errors_as_json = true",
        "SET TimeZone = 'UTC'",
        "SET memory_limit = '" + where.memoryBytes() + "B'",
        "SET temp_directory = " + Session.literal(own),
        "SET max_temp_directory_size = '" + where.temporaryBytes() + "B'",
        "SET home_directory = " + Session.literal(where.scratch().toString()),
        "SET secret_directory = " + Session.literal(own + "/secrets"),
        "SET extension_directory = " + Session.literal(own + "/extensions"),
        // Not a place on the network, so that INSTALL fails at once.
        "SET custom_extension_repository = " + Session.literal(own + "/repository"),
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET allow_community_extensions = false",
        "SET allow_persistent_secrets = false",
        "SET enable_profiling = 'no_output'",
        // All of them are tens of kilobytes for each query, and take milliseconds to read.
        "SET tracked_metrics = ['operator.type', 'operator.rows_scanned', 'operator.extra_info']");
  }

  /** Once the datasets are there, and before there is a query. */
  private static List<String> restrictions(Surroundings where) throws IOException {
    return List.of(
        "SET allowed_directories = " + directories(where),
        "SET enable_external_access = false",
        "SET lock_configuration = true");
  }

  /** The engine resolves links before it compares, so that their targets must be listed too. */
  private static String directories(Surroundings where) throws IOException {
    Set<Path> directories = new LinkedHashSet<>();
    List<Path> listed =
        new ArrayList<>(
            List.of(where.workspace(), where.datasets(), where.inputs(), where.scratch()));
    if (Files.isDirectory(where.datasets())) {
      try (Stream<Path> mounted = Files.list(where.datasets())) {
        mounted.forEach(listed::add);
      }
    }
    for (Path directory : listed) {
      directories.add(directory.toAbsolutePath());
      if (Files.isDirectory(directory)) {
        directories.add(directory.toRealPath());
        linkedSnapshot(directory).ifPresent(directories::add);
      }
    }
    return directories.stream()
        .map(directory -> Session.literal(directory + "/"))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /**
   * The snapshot whose files a dataset's are links to. Those that another container has opened have
   * paths that do not exist here, and the engine then compares the links.
   */
  private static Optional<Path> linkedSnapshot(Path dataset) {
    Path description = dataset.resolve(SnapshotDescription.FILE);
    try {
      return Files.isSymbolicLink(description)
              && Files.readSymbolicLink(description).startsWith(DESCRIPTORS)
          ? Optional.ofNullable(description.toRealPath().getParent())
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  /** A session for queries of our own, which are not restricted, before there is a job. */
  public Session openUnrestricted() {
    JobTimeZone zone = JobTimeZone.choose(null, List.of());
    return new Session(connection, List.of(), zone, new Cancellation(), surroundings);
  }

  /**
   * Restricts what queries can access, for good, and creates the views of a job's datasets.
   *
   * @param timeZone in which days are counted; null for that of the datasets
   */
  public Session open(List<DatasetName> names, @Nullable String timeZone)
      throws SQLException, IOException {
    List<DatasetTable> datasets = new ArrayList<>();
    for (DatasetName name : names) {
      Path directory = surroundings.datasets().resolve(name.name());
      datasets.add(new DatasetTable(name, directory, SnapshotDescription.table(directory)));
    }
    JobTimeZone zone = JobTimeZone.choose(timeZone, datasets);
    try (Statement statement = connection.createStatement()) {
      // Nothing can be set once the restrictions are there.
      statement.execute("SET TimeZone = " + Session.literal(zone.name()));
      statement.execute(String.join(";\n", restrictions(surroundings)));
    }
    Cancellation cancellation = new Cancellation();
    return new Session(
        cancellation.watch(connection), createViews(datasets), zone, cancellation, surroundings);
  }

  /** Table names before aliases, so that no alias takes the name of another dataset's table. */
  private List<DatasetTable> createViews(List<DatasetTable> datasets) throws SQLException {
    Set<String> taken = new HashSet<>();
    List<DatasetTable> readable = new ArrayList<>();
    for (DatasetTable dataset : datasets) {
      boolean created = createView(dataset, dataset.dataset().tableName(), taken);
      readable.add(
          created ? dataset : new DatasetTable(dataset.dataset(), dataset.directory(), null));
    }
    for (DatasetTable dataset : readable) {
      createView(dataset, dataset.dataset().displayName(), taken);
      createView(dataset, dataset.dataset().name(), taken);
    }
    return readable;
  }

  private boolean createView(DatasetTable dataset, String name, Set<String> taken)
      throws SQLException {
    @Nullable Table table = dataset.table();
    if (table == null || !dataset.hasColumns() || !taken.add(name.toLowerCase(Locale.ROOT))) {
      return table != null;
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE VIEW " + Session.quoted(name) + " AS SELECT * FROM " + dataset.scan(table));
      return true;
    } catch (SQLException e) {
      // Its files are not what the description says; only a query that uses it fails.
      return false;
    }
  }
}
