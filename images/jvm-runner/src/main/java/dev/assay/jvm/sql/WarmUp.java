package dev.assay.jvm.sql;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Runs a query before there is a job, since the first one takes the longest. */
public final class WarmUp {
  private static final String QUERY =
      "SELECT i % 3 AS g, count(*) AS n, avg(i) AS mean, max('name ' || i) AS name"
          + " FROM range(100) r(i) WHERE i > 3 GROUP BY ALL ORDER BY g";

  private WarmUp() {}

  /** Runs it as one of a user, and removes its result. */
  public static void run(Session session) {
    try {
      runQuery(session);
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
