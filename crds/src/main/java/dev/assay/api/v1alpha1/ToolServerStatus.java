package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a tool server. Written by the operator only, on transitions.
 *
 * @param phase whether its tools can be called
 * @param message one sentence for people
 * @param observedGeneration the generation of the spec that this status describes
 * @param conditions Connected and Approved
 * @param server what the server calls itself
 * @param counts how many tools it has
 * @param tools its tools, by name; absent before the first list. With approval Baseline nothing
 *     else has what the first list approved: a server that is restored without it is trusted anew
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ToolServerStatus(
    @Nullable ToolServerPhase phase,
    @Size(max = 4096) @Nullable String message,
    @Nullable Long observedGeneration,
    @Size(max = 8) @Nullable List<Condition> conditions,
    @Nullable ServerInfo server,
    @Nullable ToolCounts counts,
    @Size(max = Bounds.MAX_TOOLS) @Nullable List<ToolState> tools)
    implements ToolServerStatusBuilder.With {

  /** The state of a tool server that the operator has not processed yet. */
  public static final ToolServerStatus EMPTY = ToolServerStatusBuilder.builder().build();

  /** Its tools; empty where none is known. */
  public List<ToolState> toolList() {
    return tools == null ? List.of() : tools;
  }

  /**
   * What a server calls itself. It is data, never an instruction.
   *
   * @param name its name
   * @param version its version
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ServerInfo(
      @Size(max = 128) @Nullable String name, @Size(max = 128) @Nullable String version) {}

  /**
   * How many tools a server has.
   *
   * @param listed tools that it lists and that its spec does not hide
   * @param approved those that can be called
   * @param pending those of which no definition has been approved
   * @param changed those of which another definition has been approved
   */
  @RecordBuilder
  public record ToolCounts(int listed, int approved, int pending, int changed) {
    /** No tool. */
    public static final ToolCounts NONE = new ToolCounts(0, 0, 0, 0);
  }

  /**
   * A tool of a server.
   *
   * @param name its name
   * @param digest the SHA-256 of the definition that the server lists, in hexadecimal; absent if it
   *     does not list the tool anymore
   * @param approvedDigest that of the definition that has been approved; absent if none has been
   * @param approval whether the two are the same; absent if the server does not list the tool
   *     anymore
   * @param permission what the listed definition may do
   * @param summary the beginning of its approved description, without control characters
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ToolState(
      @Required @Size(max = Bounds.MAX_TOOL_NAME) String name,
      @Size(max = Bounds.DIGEST_HEX) @Nullable String digest,
      @Size(max = Bounds.DIGEST_HEX) @Nullable String approvedDigest,
      @Nullable ToolApproval approval,
      @Nullable ToolPermission permission,
      @Size(max = Bounds.MAX_TOOL_SUMMARY) @Nullable String summary)
      implements ToolStateBuilder.With {}
}
