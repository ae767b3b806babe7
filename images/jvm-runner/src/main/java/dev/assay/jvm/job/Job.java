package dev.assay.jvm.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker is to do.
 *
 * @param kind of job, such as {@code sql}
 * @param code the query; empty for other kinds
 * @param language of a script, such as {@code typescript}; empty for other kinds
 * @param name of the built-in query; empty for other kinds
 * @param input parameters or arguments as JSON text
 * @param datasets those that the job sees, in order
 * @param reply what the caller wants to see
 * @param files what it is given besides, and what it leaves
 * @param maxParallel how many tools its code may call at once; 0 if it may call none
 */
public record Job(
    String kind,
    String code,
    String language,
    String name,
    @Nullable String input,
    List<DatasetName> datasets,
    Reply reply,
    JobFiles files,
    int maxParallel) {
  public Job {
    datasets = List.copyOf(datasets);
  }

  /** A job whose code may call no tools. */
  public Job(
      String kind,
      String code,
      String language,
      String name,
      @Nullable String input,
      List<DatasetName> datasets,
      Reply reply,
      JobFiles files) {
    this(kind, code, language, name, input, datasets, reply, files, 0);
  }

  /** A job that is given no files and leaves none. */
  public Job(
      String kind, String code, String name, @Nullable String input, List<DatasetName> datasets) {
    this(kind, code, "", name, input, datasets, Reply.DEFAULT, JobFiles.NONE);
  }

  /** A script. */
  public Job(String kind, String code, String language, @Nullable String input) {
    this(kind, code, language, "", input, List.of(), Reply.DEFAULT, JobFiles.NONE);
  }

  /** The same job with other files. */
  public Job with(JobFiles other) {
    return new Job(kind, code, language, name, input, datasets, reply, other, maxParallel);
  }

  /** The same job, whose code may call so many tools at once. */
  public Job withTools(int parallel) {
    return new Job(kind, code, language, name, input, datasets, reply, files, parallel);
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

  /**
   * What the caller wants to see.
   *
   * @param rows how many rows are shown at least, if there are as many
   * @param chart a chart of the rows, or null
   * @param timeZone in which days are counted; null for that of the datasets
   */
  public record Reply(int rows, @Nullable Chart chart, @Nullable String timeZone) {
    public static final Reply DEFAULT = new Reply(100, null, null);
  }

  /**
   * A chart of a result.
   *
   * @param type such as {@code bar}; null to choose one by the columns
   */
  public record Chart(@Nullable String type) {}
}
