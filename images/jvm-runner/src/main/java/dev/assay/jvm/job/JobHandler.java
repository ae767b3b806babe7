package dev.assay.jvm.job;

import java.io.IOException;
import java.sql.SQLException;

/** Runs the jobs of one kind. */
@FunctionalInterface
public interface JobHandler {
  /**
   * Runs a job.
   *
   * @return the value, as JSON text of at most 256 KiB
   * @throws JobFailure what the user is told
   * @throws SQLException an error of the engine that the handler has no words for
   */
  String run(Job job) throws JobFailure, SQLException, IOException;
}
