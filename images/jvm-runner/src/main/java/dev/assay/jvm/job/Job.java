package dev.assay.jvm.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is to do.
 *
 * @param kind of job, such as {@code sql}
 * @param code the query; empty for other kinds
 * @param name of the built-in query; empty for other kinds
 * @param input parameters or arguments as JSON text
 * @param datasets those that the job sees, in order
 * @param rows how many rows the caller is shown at least, if there are as many
 */
public record Job(
    String kind,
    String code,
    String name,
    @Nullable String input,
    List<DatasetName> datasets,
    int rows) {
  public static final int DEFAULT_ROWS = 100;

  public Job {
    datasets = List.copyOf(datasets);
  }

  /**
   * A dataset by its names.
   *
   * @param name the resource's, which is also its directory's
   * @param displayName the name that its owner gave it
   */
  public record DatasetName(String name, String displayName) {
    /** The name of its table: all but ASCII letters, digits and underscores are underscores. */
    public String tableName() {
      return displayName.replaceAll("[^A-Za-z0-9_]", "_");
    }
  }
}
