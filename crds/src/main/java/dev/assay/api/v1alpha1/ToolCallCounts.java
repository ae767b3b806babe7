package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * How many calls of tools the code of a run made.
 *
 * @param sent calls that were sent to a tool server
 * @param failed calls that were sent and failed, or whose outcome is unknown
 * @param refused calls that were not sent
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ToolCallCounts(int sent, int failed, int refused)
    implements ToolCallCountsBuilder.With {

  /** No call. */
  public static final ToolCallCounts NONE = new ToolCallCounts(0, 0, 0);
}
