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
    sentences.add("Analyses shared datasets.");
    if (tools.contains("list_datasets")) {
      sentences.add("list_datasets lists the datasets.");
    }
    if (tools.contains("load_dataset")) {
      sentences.add("load_dataset adds a table.");
    }
    if (tools.contains("analytics_execute_query")) {
      sentences.add(
          "analytics_profile_dataset describes a table in few tokens, analytics_execute_query"
              + " answers SQL, Polars and pandas with a bounded table.");
    }
    if (tools.contains("execute_custom_analytics_code")) {
      sentences.add(
          "execute_custom_analytics_code runs Python that you write over a dataset and returns what"
              + " it printed. Every call runs alone: nothing is kept from one to the next.");
    }
    if (tools.contains("code_execution")) {
      sentences.add(
          "code_execution runs a script in JavaScript or TypeScript, which can call the tools of"
              + " other servers that search_tools finds.");
    }
    if (tools.contains("list_runs")) {
      sentences.add(
          "Each call that computes becomes a run with a name: list_runs, get_run and cancel_run"
              + " find, show and stop those whose answer you did not get.");
    }
    return String.join(" ", sentences);
  }
}
