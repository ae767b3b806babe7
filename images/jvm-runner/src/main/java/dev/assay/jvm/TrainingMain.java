package dev.assay.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.control.ControlSocket;
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
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.duckdb.DuckDBDriver;

/**
 * Does once what workers do, so that the JVM archives the classes that they need. It ends as a
 * program does that is not halted: the archive is written then.
 */
final class TrainingMain {
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

  /** Members of the jobs: a query with its files, and the built-in ones. */
  private static final List<String> JOBS =
      List.of(
          """
          "kind": "sql", "input": "[7]", "reply": {"rows": 100},
          "collect": {"folders": ["results"], "maxCount": 10},
          "code": "SELECT i % 3 AS g, count(*) AS n, avg(amount) AS mean, DATE '2024-01-01' AS d,
            now() AS t, [i % 3] AS l, {'a': 1.5::DECIMAL(5, 2)} AS s, max(name) AS name
            FROM training WHERE i > ? GROUP BY ALL ORDER BY g LIMIT 10"
          """,
          """
          "kind": "builtin", "name": "profile", "input": "{\\"dataset\\": \\"training\\"}"
          """,
          """
          "kind": "builtin", "name": "sample",
          "input": "{\\"dataset\\": \\"training\\", \\"size\\": 5}"
          """);

  private static final List<String> FAILING_JOBS =
      List.of(
          """
          "kind": "sql", "code": "SELECT nothing FROM training"
          """,
          """
          "kind": "sql", "code": "FROM nowhere"
          """);

  private static final long MEMORY_BYTES = 512L * 1024 * 1024;

  private TrainingMain() {}

  /** Runs the jobs; there are no arguments. */
  public static void main(String[] arguments) throws IOException, SQLException {
    Path directory = Files.createTempDirectory("training");
    Path datasets = Files.createDirectories(directory.resolve("datasets"));
    Path workspace = Files.createDirectories(directory.resolve("workspace"));
    writeDataset(Files.createDirectories(datasets.resolve(DATASET)));
    Surroundings found = Surroundings.of(Map.of("ASSAY_SCRATCH_DIR", directory.toString()));
    Surroundings surroundings =
        new Surroundings(
            datasets, directory, workspace, directory, found.python(), MEMORY_BYTES, MEMORY_BYTES);
    for (String job : JOBS) {
      run(job, surroundings, true);
    }
    for (String job : FAILING_JOBS) {
      run(job, surroundings, false);
    }
    delete(directory);
  }

  private static void run(String job, Surroundings surroundings, boolean isToSucceed)
      throws IOException, SQLException {
    boolean succeeded = WorkerMain.run(control(job), surroundings, true) == 0;
    // The archive would lack classes, and nobody would notice.
    if (succeeded != isToSucceed) {
      throw new IllegalStateException("This job of the training did not end as it should: " + job);
    }
  }

  private static void writeDataset(Path directory) throws IOException, SQLException {
    Files.writeString(directory.resolve("description.json"), DESCRIPTION);
    try (Connection connection = new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
        Statement statement = connection.createStatement()) {
      statement.execute("COPY (%s) TO '%s/frame.parquet'".formatted(ROWS, directory));
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

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
