package dev.assay.operator.runner;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job for a Pod, as defined in the runner protocol: one record for each kind. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
public sealed interface Job {
  /** The limits that the supervisor enforces, whatever the kind. */
  Limits limits();

  /**
   * Runs Python.
   *
   * @param code the script
   * @param input JSON text that is {@code parameters}; only with {@code reply}
   * @param datasets the datasets of the run, the first of which is {@code df}; null for a runner
   *     without {@link Hello#DATASETS}, which takes those of the worker's command
   * @param reply the value that is wanted; null for none
   * @param mode {@code code} for code with the analytics library; null for code without
   * @param scriptName the name of the script's file in mode code, without its extension
   * @param guard the check of the code before it is started; null for none
   * @param tools that it may call tools; null if not
   * @param files what it reads and leaves
   */
  @JsonTypeName("python")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Python(
      String code,
      @Nullable String input,
      @Nullable List<Dataset> datasets,
      @Nullable Reply reply,
      @Nullable String mode,
      @Nullable String scriptName,
      @Nullable Guard guard,
      @Nullable Tools tools,
      @JsonUnwrapped JobFiles files,
      Limits limits)
      implements Job {}

  /**
   * Evaluates an expression of Polars, or runs a script that assigns {@code result}.
   *
   * @param input JSON text that is {@code parameters}
   */
  @JsonTypeName("polars")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Polars(
      String code,
      @Nullable String input,
      List<Dataset> datasets,
      Reply reply,
      @JsonUnwrapped JobFiles files,
      Limits limits)
      implements Job {}

  /**
   * Runs statements of SQL.
   *
   * @param input JSON text with the parameters: an array of positional or an object of named ones
   */
  @JsonTypeName("sql")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Sql(
      String code,
      @Nullable String input,
      List<Dataset> datasets,
      Reply reply,
      @JsonUnwrapped JobFiles files,
      Limits limits)
      implements Job {}

  /**
   * Does work that needs no code.
   *
   * @param name which
   * @param input a JSON object as text: its arguments
   */
  @JsonTypeName("builtin")
  record Builtin(
      String name,
      String input,
      List<Dataset> datasets,
      @JsonUnwrapped JobFiles files,
      Limits limits)
      implements Job {}

  /**
   * Runs a script, which returns a value.
   *
   * @param language {@code javascript} or {@code typescript}
   * @param input JSON text that is the variable {@code input}; null for an empty object
   * @param tools that it may call tools; null if not
   */
  @JsonTypeName("javascript")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record JavaScript(
      String code, String language, @Nullable String input, @Nullable Tools tools, Limits limits)
      implements Job {}

  /**
   * Creates the snapshot of a dataset.
   *
   * @param source what it is made of
   */
  @JsonTypeName("snapshot")
  record Snapshot(Source source, Limits limits) implements Job {}

  /**
   * A dataset that the job reads.
   *
   * @param name its name in the namespace, and of its directory in the Pod
   * @param displayName the name that its table has; null if it is {@code name}
   * @param path of its snapshot on the namespace's volume, for a Pod that was made before its run;
   *     null for one that mounts the dataset
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Dataset(String name, @Nullable String displayName, @Nullable String path) {}

  /**
   * The value that is wanted.
   *
   * @param rows how many rows of a table the caller will see
   * @param chart that they are drawn, too; null if not
   * @param timeZone in which days are counted; null for that of the datasets
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Reply(int rows, @Nullable Chart chart, @Nullable String timeZone) {}

  /**
   * A chart of the rows.
   *
   * @param type its kind; null where the runner chooses it
   */
  record Chart(@Nullable String type) {}

  /**
   * The check of code before it is started.
   *
   * @param allowedModules top-level modules that it may import beside those that the guard allows
   */
  record Guard(List<String> allowedModules) {}

  /**
   * Calls of tools.
   *
   * @param maxParallel how many calls of a batch are in flight at once at most
   * @param resultBytes the maximum length of the outcome of a call
   */
  record Tools(int maxParallel, int resultBytes) {}

  /**
   * The source of a snapshot: text, path or upload.
   *
   * @param format csv, tsv, json, ndjson, parquet, feather or excel
   * @param compression gzip or zip; null for none
   * @param options of pandas' reader, which the worker checks
   * @param frame whether there is a frame; null where its size decides
   * @param text the bytes themselves, as UTF-8
   * @param path below {@code /source}
   * @param upload what was uploaded before
   * @param limits the maximum size
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Source(
      String format,
      @Nullable String compression,
      @Nullable Map<String, JsonNode> options,
      @Nullable Boolean frame,
      @Nullable String text,
      @Nullable String path,
      @Nullable Upload upload,
      @Nullable SourceLimits limits) {}

  /**
   * An upload that the Pod has received.
   *
   * @param bytes its length
   * @param sha256 its digest, in hexadecimal
   */
  record Upload(long bytes, String sha256) {}

  /**
   * The maximum size of a source.
   *
   * @param maxBytes after decompression
   * @param maxRows of the table
   * @param maxColumns of the table
   * @param maxNesting of arrays, objects and types within each other
   * @param frameBytes above which there is no frame, unless the source wants one
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record SourceLimits(
      long maxBytes, long maxRows, long maxColumns, long maxNesting, @Nullable Long frameBytes) {}

  /**
   * Limits that the supervisor enforces.
   *
   * @param timeoutMs from the first user instruction
   * @param startTimeoutMs from the start to that instruction
   * @param stopGraceMs between asking the code to stop and killing it
   * @param outputBytes how many bytes of output are kept
   */
  record Limits(long timeoutMs, long startTimeoutMs, long stopGraceMs, long outputBytes) {}
}
