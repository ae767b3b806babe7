package dev.assay.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.control.ControlSocket;
import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.engine.Surroundings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.Properties;
import java.util.stream.Stream;
import org.duckdb.DuckDBDriver;

/**
 * Runs jobs over a small dataset as those of users are run, in a directory and engines of their own
 * that are removed: with that, the JVM loads and compiles what the first job needs.
 */
final class Rehearsal implements AutoCloseable {
  /** Members of a message {@code job} with a query that leaves its result. */
  static final String QUERY =
      """
      "kind": "sql", "input": "[7]", "reply": {"rows": 100},
      "collect": {"folders": ["results"], "maxCount": 10},
      "code": "SELECT i % 3 AS g, count(*) AS n, avg(amount) AS mean, DATE '2024-01-01' AS d,
        now() AS t, [i % 3] AS l, {'a': 1.5::DECIMAL(5, 2)} AS s, max(name) AS name
        FROM training WHERE i > ? GROUP BY ALL ORDER BY g LIMIT 10"
      """;

  private static final String DATASET = "training";

  private static final String DESCRIPTION =
      """
      {"version": 1, "source": {"format": "csv", "bytes": 2000},
       "table": {"files": ["frame.parquet"], "hive": false, "rows": 100, "columns": [
         {"name": "i", "type": "int64"}, {"name": "amount", "type": "float64"},
         {"name": "name", "type": "str"}, {"name": "day", "type": "datetime64[us]"},
         {"name": "mixed", "type": "object", "storedAs": "string"}]}}
      """;

  private static final String ROWS =
      "SELECT i, i * 1.5::DOUBLE AS amount, 'name ' || i % 7 AS name,"
          + " TIMESTAMP '2024-01-01' + to_days(i::INTEGER) AS day,"
          + " '2024-01-0' || (1 + i % 9) AS mixed FROM range(100) r(i)";

  /** Of memory and of disk, far below what any class has. */
  private static final long LIMIT_BYTES = 512L * 1024 * 1024;

  private static final int TIMES = 3;

  private final Path directory;
  private final Surroundings surroundings;

  private Rehearsal(Path directory, Surroundings surroundings) {
    this.directory = directory;
    this.surroundings = surroundings;
  }

  /**
   * Prepares a directory with the dataset.
   *
   * @param scratch where the directory is made
   * @param python the interpreter that has the runner's package
   */
  static Rehearsal in(Path scratch, String python) throws IOException, SQLException {
    Path directory = Files.createTempDirectory(scratch, ".rehearsal");
    Path datasets = directory.resolve("datasets");
    Path workspace = directory.resolve("workspace");
    Rehearsal rehearsal =
        new Rehearsal(
            directory,
            new Surroundings(
                datasets, directory, workspace, directory, python, LIMIT_BYTES, LIMIT_BYTES));
    try {
      Files.createDirectories(workspace);
      writeDataset(Files.createDirectories(datasets.resolve(DATASET)));
      return rehearsal;
    } catch (IOException | SQLException | RuntimeException e) {
      rehearsal.close();
      throw e;
    }
  }

  /** Runs the query some times before there is a job. */
  static void run(Surroundings surroundings) {
    try (Rehearsal rehearsal = in(surroundings.scratch(), surroundings.python())) {
      for (int time = 0; time < TIMES; time++) {
        boolean unused = rehearsal.succeeds(QUERY);
      }
    } catch (IOException | RuntimeException | SQLException e) {
      // What is printed here would be output of the run. The first job is slower then.
    }
  }

  /** Whether a job with these members succeeds. */
  boolean succeeds(String job) throws IOException, SQLException {
    try (Engine engine = Engine.start(surroundings)) {
      return WorkerMain.runOneJob(control(job), engine) == WorkerMain.DONE;
    }
  }

  private static void writeDataset(Path directory) throws IOException, SQLException {
    Files.writeString(directory.resolve("description.json"), DESCRIPTION);
    try (Connection connection = new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
        Statement statement = connection.createStatement()) {
      Path file = directory.resolve("frame.parquet");
      statement.execute("COPY (%s) TO %s".formatted(ROWS, Session.literal(file.toString())));
    }
  }

  /** The launcher's side, which sends one job. */
  private static ControlSocket control(String job) {
    String message =
        "{\"type\": \"job\", \"datasets\": [{\"name\": \"%s\", \"displayName\": \"Training\"}], %s}"
            .formatted(DATASET, job.replace("\n", " "));
    byte[] body = message.getBytes(UTF_8);
    byte[] frame = ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array();
    return new ControlSocket(new ByteArrayInputStream(frame), OutputStream.nullOutputStream());
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
