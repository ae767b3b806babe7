package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunUsage;
import dev.assay.api.v1alpha1.ToolCallCounts;
import org.jspecify.annotations.Nullable;

/**
 * A run. Its fields are those of the OpenAPI document; texts that come from its Pod are cleaned.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunDocument(
    @JsonUnwrapped RunSummary summary,
    @Nullable String message,
    @Nullable Integer timeoutSeconds,
    @Nullable Integer timeoutMillis,
    boolean cancelRequested,
    @Nullable Failure error,
    @Nullable Output output,
    @Nullable Value value,
    @Nullable String artifactsMessage,
    @Nullable String cacheKey,
    @Nullable ToolCallCounts toolCalls,
    @Nullable RunUsage usage) {

  /** What the code raised. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Failure(
      String type,
      String message,
      @Nullable Integer line,
      @Nullable String traceback,
      @Nullable String code) {
    /** Of an error as the Pod reported it; null where there is none. */
    static @Nullable Failure of(@Nullable RunError error) {
      return error == null
          ? null
          : new Failure(
              Text.clean(error.type()),
              Text.clean(error.message()),
              error.line(),
              cleanOrNull(error.traceback()),
              error.code());
    }
  }

  /** The beginning and end of what it printed. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Output(
      String head,
      @Nullable String tail,
      long bytes,
      long storedBytes,
      boolean truncated,
      @Nullable String digest) {}

  /** What the code returned. The operator has checked that the text is JSON. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Value(@JsonRawValue @Nullable String json, long bytes, @Nullable String digest) {}

  /** A run as the API server returned it. */
  public static RunDocument of(AnalyticsRun run) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    @Nullable RunResult result = status.result();
    return new RunDocument(
        RunSummary.of(run),
        cleanOrNull(status.message()),
        run.getSpec().timeoutSeconds(),
        run.getSpec().timeoutMillis(),
        run.getSpec().cancelRequested(),
        result == null ? null : Failure.of(result.error()),
        result == null ? null : output(result),
        result == null ? null : value(result),
        cleanOrNull(status.artifactsMessage()),
        status.cacheKey(),
        status.toolCalls(),
        status.usage());
  }

  private static Output output(RunResult result) {
    return new Output(
        result.output() == null ? "" : Text.clean(result.output()),
        cleanOrNull(result.outputTail()),
        result.outputBytes(),
        result.storedBytes(),
        result.truncated(),
        result.outputDigest());
  }

  private static @Nullable Value value(RunResult result) {
    return result.valueBytes() == null
        ? null
        : new Value(
            result.value() == null ? null : Text.jsonLine(result.value()),
            result.valueBytes(),
            result.valueDigest());
  }

  private static @Nullable String cleanOrNull(@Nullable String text) {
    return text == null ? null : Text.clean(text);
  }
}
