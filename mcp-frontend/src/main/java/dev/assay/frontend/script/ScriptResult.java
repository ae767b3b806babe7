package dev.assay.frontend.script;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.call.UnlistedContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a script.
 *
 * @param ok whether it has a value
 * @param value JSON text; absent where there is an error
 * @param error absent where there is a value
 * @param logs the first lines that it printed
 * @param executionId the name of its run; absent where none was created
 * @param stats absent where no run was created
 * @param callsOthers whether it may have called tools, so that there may be words of other servers
 *     in it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScriptResult(
    boolean ok,
    @JsonRawValue @Nullable String value,
    @Nullable Failure error,
    List<String> logs,
    @JsonProperty("execution_id") @Nullable String executionId,
    @Nullable Stats stats,
    @JsonIgnore boolean callsOthers)
    implements UnlistedContent {
  public ScriptResult {
    logs = List.copyOf(logs);
  }

  /**
   * Why there is no value.
   *
   * @param message of the exception without its type, or one sentence
   * @param stack type, message and places; absent where there is none
   * @param line in the source that was sent, from 1; absent where none is known
   * @param column in that line, from 1
   * @param payloadStarted whether any of the script was run; absent where its code tells
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Failure(
      ScriptErrorCode code,
      String message,
      @Nullable String stack,
      @Nullable Integer line,
      @Nullable Integer column,
      @JsonProperty("payload_started") @Nullable PayloadStarted payloadStarted) {
    Failure(ScriptErrorCode code, String message) {
      this(code, message, null, null, null, null);
    }
  }

  /**
   * About the run.
   *
   * @param queueMillis from when it was seen until it had a Pod; absent where it had none
   * @param durationMillis from the first instruction to the end; absent where it was not started
   * @param toolCalls the calls of tools that it made
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Stats(
      @JsonProperty("queue_ms") @Nullable Long queueMillis,
      @JsonProperty("duration_ms") @Nullable Long durationMillis,
      @JsonProperty("tool_calls") ToolCallCounts toolCalls) {}

  /** Of a script that no run was created for. */
  public static ScriptResult notStarted(ScriptErrorCode code, String message) {
    return new ScriptResult(false, null, new Failure(code, message), List.of(), null, null, false);
  }

  /** Whether it has failed, and does not only go on. */
  public boolean hasFailed() {
    return error != null && error.code() != ScriptErrorCode.IN_PROGRESS;
  }

  /** One word for the log. */
  public String outcome() {
    return error == null ? "Succeeded" : error.code().name();
  }
}
