package dev.assay.frontend.execution;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.assay.frontend.analytics.GuardReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an error.
 *
 * @param type the exception, {@code SecurityViolation} where the guard refused the code, or the
 *     reason of the run
 * @param lineNumber line in the code, from 1
 * @param codeSnippet that line
 * @param suggestion what to do next
 * @param traceback all of it but frames of the runner; the text of a reply counts those of
 *     libraries
 * @param violations what the guard found
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ErrorDetails(
    String type,
    String message,
    @JsonProperty("line_number") @Nullable Integer lineNumber,
    @JsonProperty("code_snippet") @Nullable String codeSnippet,
    @Nullable String suggestion,
    @Nullable String traceback,
    @Nullable List<GuardReport.Violation> violations) {}
