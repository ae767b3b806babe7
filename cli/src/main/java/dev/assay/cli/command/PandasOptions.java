package dev.assay.cli.command;

import dev.assay.cli.client.AssayClient;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Options for pandas, as they are written on a command line. */
final class PandasOptions {
  /** Options that take a list, or a list or a flag. */
  private static final Set<String> LISTS =
      Set.of(
          "names",
          "usecols",
          "parse_dates",
          "na_values",
          "true_values",
          "false_values",
          "convert_dates",
          "columns");

  private PandasOptions() {}

  /** A value is JSON if it parses as such, and text otherwise. */
  static ObjectNode json(Map<String, String> written) {
    ObjectNode options = AssayClient.object();
    written.forEach((name, text) -> options.set(name, value(name, text)));
    return options;
  }

  private static JsonNode value(String name, String text) {
    JsonNode value = value(text);
    if (!LISTS.contains(name) || value.isArray() || value.isBoolean()) {
      return value;
    }
    ArrayNode one = AssayClient.object().arrayNode();
    return one.add(text);
  }

  private static JsonNode value(String text) {
    try {
      return AssayClient.json(text);
    } catch (JacksonException e) {
      return AssayClient.object().stringNode(text);
    }
  }
}
