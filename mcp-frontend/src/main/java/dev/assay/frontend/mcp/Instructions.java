package dev.assay.frontend.mcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What an agent reads of the server as a whole: only of tools that it can call. */
final class Instructions {
  private Instructions() {}

  /** The text for a caller who sees these tools. */
  static String of(Set<String> tools) {
    List<String> sentences = new ArrayList<>();
    if (tools.contains("list_datasets")) {
      sentences.add("Analyses shared datasets: list_datasets names them.");
    }
    if (tools.contains("analytics_execute_query")) {
      sentences.add("Profile an unknown dataset, then query it.");
    }
    if (tools.contains("execute_custom_analytics_code")) {
      sentences.add("execute_custom_analytics_code takes any Python.");
    }
    if (tools.contains("search_tools")) {
      sentences.add("search_tools finds tools of other servers, which code_execution calls.");
    }
    if (tools.contains("list_runs")) {
      sentences.add("A lost reply is a run, which list_runs finds and get_run shows.");
    }
    sentences.add("Each call runs alone: nothing is kept from one to the next.");
    return String.join(" ", sentences);
  }
}
