package dev.assay.frontend.execution;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.assay.frontend.call.UnlistedContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that did not succeed, beside its text.
 *
 * @param status error or timeout
 * @param executionTime of a timeout, in seconds
 * @param suggestedAlternatives to what the guard refused
 * @param recommendations after a timeout
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FailureDocument(
    String status,
    @JsonProperty("error_details") @Nullable ErrorDetails errorDetails,
    @JsonProperty("partial_outputs") @Nullable PartialOutputs partialOutputs,
    @JsonProperty("execution_time") @Nullable Double executionTime,
    @JsonProperty("partial_results") @Nullable PartialResults partialResults,
    @JsonProperty("suggested_alternatives") @Nullable List<String> suggestedAlternatives,
    @Nullable List<String> recommendations)
    implements UnlistedContent {

  /**
   * What there was before an error.
   *
   * @param stdout what the code printed, as the text of the reply has it
   * @param executedLines lines before the statement that failed; absent where it is not known
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record PartialOutputs(
      String stdout, @JsonProperty("executed_lines") @Nullable Integer executedLines) {}

  /**
   * What there was before a timeout.
   *
   * @param lastOutput the last line that the code printed; empty where it printed nothing
   * @param completedOperations the lines before it, the last ones
   */
  public record PartialResults(
      @JsonProperty("last_output") String lastOutput,
      @JsonProperty("completed_operations") List<String> completedOperations) {}
}
