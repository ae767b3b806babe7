package dev.assay.frontend.tool;

import dev.assay.frontend.config.ToolGroup;
import java.util.Set;

/**
 * Which groups a tool is in. The names of datasets and what is left of a shortened reply are needed
 * with any of them.
 */
public final class ToolGroups {
  private ToolGroups() {}

  /**
   * The groups of a tool by its name.
   *
   * @throws IllegalArgumentException where none is named for it, so that no front end starts with
   *     it
   */
  public static Set<ToolGroup> of(String tool) {
    return switch (tool) {
      case "list_datasets" -> Set.of(ToolGroup.DATASETS, ToolGroup.CODE, ToolGroup.ANALYTICS);
      case "get_run" ->
          Set.of(ToolGroup.RUNS, ToolGroup.CODE, ToolGroup.ANALYTICS, ToolGroup.SCRIPTS);
      case "code_execution", "search_tools", "describe_tools" -> Set.of(ToolGroup.SCRIPTS);
      case "describe_dataset", "load_dataset", "delete_dataset" -> Set.of(ToolGroup.DATASETS);
      case "execute_custom_analytics_code" -> Set.of(ToolGroup.CODE);
      case "describe_runtime" -> Set.of(ToolGroup.CODE, ToolGroup.ANALYTICS);
      case "list_runs", "cancel_run" -> Set.of(ToolGroup.RUNS);
      case "analytics_profile_dataset",
          "analytics_execute_query",
          "analytics_stream_sample",
          "analytics_export_result",
          "analytics_cache_invalidate" ->
          Set.of(ToolGroup.ANALYTICS);
      default ->
          throw new IllegalArgumentException(
              "The tool " + tool + " is in no group: name its groups in ToolGroups");
    };
  }
}
