package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tools of tool servers that the code of a run may call. It narrows what the class allows.
 *
 * @param allowedServers names of ToolServers in the run's namespace, {@code *} for all; all when
 *     empty or absent
 * @param maxCalls how many calls may be sent; 0 or absent for as many as the class allows
 * @param maxParallel how many calls of a batch are in flight at once; 32 when absent
 * @param granted what the caller's API key grants; everything when absent
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunTools(
    @Size(max = Bounds.MAX_RUN_TOOL_SERVERS)
        @Nullable List<@Pattern(SERVER_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String>
            allowedServers,
    @Min(0) @Max(Bounds.MAX_RUN_TOOL_CALLS) @Nullable Integer maxCalls,
    @Min(1) @Max(Bounds.MAX_PARALLEL_TOOL_CALLS) @Nullable Integer maxParallel,
    @Nullable ToolGrants granted)
    implements RunToolsBuilder.With {
  /** The name of a ToolServer, or {@code *}. */
  static final String SERVER_PATTERN = "^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$";

  /**
   * What an API key grants to the code of a run.
   *
   * @param servers names of ToolServers, {@code *} for all; all when absent, none when empty
   * @param permissions permissions of the tools that code may call; all when absent, none when
   *     empty
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ToolGrants(
      @Size(max = Bounds.MAX_RUN_TOOL_SERVERS)
          @Nullable List<@Pattern(SERVER_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String>
              servers,
      @Size(max = 3) @Nullable List<ToolPermission> permissions) {}
}
