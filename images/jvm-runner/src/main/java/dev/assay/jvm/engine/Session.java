package dev.assay.jvm.engine;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;

/** The engine of one job. */
public final class Session {
  private final Connection connection;
  private final List<DatasetTable> datasets;
  private final JobTimeZone timeZone;
  private final Cancellation cancellation;
  private final Surroundings surroundings;

  Session(
      Connection connection,
      List<DatasetTable> datasets,
      JobTimeZone timeZone,
      Cancellation cancellation,
      Surroundings surroundings) {
    this.connection = connection;
    this.datasets = List.copyOf(datasets);
    this.timeZone = timeZone;
    this.cancellation = cancellation;
    this.surroundings = surroundings;
  }

  /** The connection that has the settings and the views. */
  public Connection connection() {
    return connection;
  }

  /** The datasets of the job, in order. */
  public List<DatasetTable> datasets() {
    return datasets;
  }

  /** In which days are counted. */
  public JobTimeZone timeZone() {
    return timeZone;
  }

  /** Stops what runs on the connection. */
  public Cancellation cancellation() {
    return cancellation;
  }

  /** Where the worker runs. */
  public Surroundings surroundings() {
    return surroundings;
  }

  /** The working directory. */
  public Path workspace() {
    return surroundings.workspace();
  }

  /** A name as SQL quotes it. */
  public static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** A text as SQL quotes it. */
  public static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}
