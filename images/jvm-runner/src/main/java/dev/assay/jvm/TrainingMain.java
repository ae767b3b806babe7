package dev.assay.jvm;

import dev.assay.jvm.engine.Engine;
import dev.assay.jvm.engine.Surroundings;
import dev.assay.jvm.sql.WarmUp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Does once what workers do, so that the JVM archives the classes that they need. It ends as a
 * program does that is not halted: the archive is written then.
 */
final class TrainingMain {
  /** Members of the jobs: a query with its files, and the built-in ones. */
  private static final List<String> JOBS =
      List.of(
          Rehearsal.QUERY,
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

  private TrainingMain() {}

  /** Runs the jobs; there are no arguments. */
  public static void main(String[] arguments) throws IOException, SQLException {
    Path scratch = Files.createTempDirectory("training");
    Surroundings surroundings = Surroundings.of(Map.of("ASSAY_SCRATCH_DIR", scratch.toString()));
    Rehearsal.run(surroundings);
    try (Engine engine = Engine.start(surroundings)) {
      WarmUp.run(engine.openUnrestricted());
    }
    try (Rehearsal rehearsal = Rehearsal.in(scratch, surroundings.python())) {
      for (String job : JOBS) {
        run(rehearsal, job, true);
      }
      for (String job : FAILING_JOBS) {
        run(rehearsal, job, false);
      }
    }
    Files.delete(scratch);
  }

  private static void run(Rehearsal rehearsal, String job, boolean isToSucceed)
      throws IOException, SQLException {
    // The archive would lack classes, and nobody would notice.
    if (rehearsal.succeeds(job) != isToSucceed) {
      throw new IllegalStateException("This job of the training did not end as it should: " + job);
    }
  }
}
