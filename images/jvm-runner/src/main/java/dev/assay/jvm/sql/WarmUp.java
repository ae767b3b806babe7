package dev.assay.jvm.sql;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Runs a query before there is a job, since the first ones take the longest. */
public final class WarmUp {
  /** Its rows have the JVM compile what reads and writes them. */
  private static final String QUERY =
      "SELECT i % 400 AS g, count(*) AS n, avg(i) AS mean, max('name ' || i) AS name,"
          + " max(DATE '2024-01-01' + (i % 300)::INTEGER) AS day"
          + " FROM range(2000) r(i) WHERE i > 3 GROUP BY ALL ORDER BY g";

  private static final int TIMES = 2;

  private WarmUp() {}

  /** Runs it some times as one of a user, and removes its result. */
  public static void run(Session session) {
    try {
      for (int time = 0; time < TIMES; time++) {
        runQuery(session);
      }
    } catch (SQLException | JobFailure e) {
      // The query of a user fails for the same reason, and says so.
    }
  }

  static void runQuery(Session session) throws SQLException, JobFailure {
    new SqlQuery(session).run(new Job("sql", QUERY, "", null, List.of()));
    try (Statement statement = session.connection().createStatement()) {
      statement.execute("DROP TABLE " + SqlQuery.RESULT);
    }
  }
}
