package dev.assay.jvm;

import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.engine.Surroundings;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.result.ResultFiles;
import dev.assay.jvm.sql.SqlQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Does once what workers do, so that the JVM archives the classes that they need. It ends as a
 * program does that is not halted: the archive is written then.
 */
final class TrainingMain {
  private static final List<String> QUERIES =
      List.of(
          "SELECT i % 3 AS g, count(*) AS n, avg(i * 1.5) AS mean, DATE '2024-01-01' AS d,"
              + " now() AS t, [i % 3] AS l, {'a': 1.5::DECIMAL(5, 2)} AS s FROM range(100) r(i)"
              + " WHERE i > ? GROUP BY ALL ORDER BY g LIMIT 10",
          "SELECT nothing FROM range(3)", "FROM nowhere");

  private static final JobFiles KEPT =
      new JobFiles(List.of(), List.of(), Set.of(ResultFiles.FOLDER), 1);
  private static final long MEMORY_BYTES = 512L * 1024 * 1024;

  private TrainingMain() {}

  /** Runs the queries; there are no arguments. */
  public static void main(String[] arguments) throws IOException, SQLException {
    Path directory = Files.createTempDirectory("training");
    Surroundings surroundings =
        new Surroundings(
            directory, directory, directory, directory, "python3", MEMORY_BYTES, MEMORY_BYTES);
    Engine engine = Engine.start(surroundings);
    Session session = engine.open(List.of(new Job.DatasetName("none", "none")));
    for (String query : QUERIES) {
      String input = query.contains("?") ? "[7]" : null;
      Job job = new Job("sql", query, "", input, List.of()).with(KEPT);
      try {
        System.out.println(new SqlQuery(session).run(job).length());
      } catch (JobFailure e) {
        System.out.println(e.valueJson().length());
      }
    }
    Files.delete(directory.resolve(ResultFiles.TABLE));
    Files.delete(directory.resolve(ResultFiles.FOLDER));
    Files.delete(directory);
  }
}
