package dev.assay.operator.runner;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job for a Pod, as defined in the runner protocol.
 *
 * @param kind python or snapshot
 * @param code of a python job
 * @param source of a snapshot job
 * @param limits of both
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Job(String kind, @Nullable String code, @Nullable Source source, Limits limits) {

  public static Job python(String code, Limits limits) {
    return new Job("python", code, null, limits);
  }

  public static Job snapshot(Source source, Limits limits) {
    return new Job("snapshot", null, source, limits);
  }

  /**
   * The source of a snapshot: text, path or upload.
   *
   * @param format csv, tsv, json, ndjson, parquet, feather or excel
   * @param compression gzip or zip; null for none
   * @param options of pandas' reader, which the worker checks
   * @param text the bytes themselves, as UTF-8
   * @param path below {@code /source}
   * @param upload what was uploaded before
   * @param limits the maximum size
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Source(
      String format,
      @Nullable String compression,
      @Nullable Map<String, JsonNode> options,
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
  public record Upload(long bytes, String sha256) {}

  /**
   * The maximum size of a source.
   *
   * @param maxBytes after decompression
   * @param maxRows of the table
   * @param maxColumns of the table
   * @param maxNesting of arrays, objects and types within each other
   */
  public record SourceLimits(long maxBytes, long maxRows, long maxColumns, long maxNesting) {}

  /**
   * Limits that the supervisor enforces.
   *
   * @param timeoutMs from the first user instruction
   * @param startTimeoutMs from the start to that instruction
   * @param stopGraceMs between asking the code to stop and killing it
   * @param outputBytes how many bytes of output are kept
   */
  public record Limits(long timeoutMs, long startTimeoutMs, long stopGraceMs, long outputBytes) {}
}
