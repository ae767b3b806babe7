package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Calls of the query tool, and what they return. */
final class Query {
  private static final ObjectMapper JSON = new ObjectMapper();
  // Importing scikit-learn takes 2 s alone, and over 20 s beside the scenarios of a full machine.
  private static final int TIMEOUT_SECONDS = 120;

  private final Assay assay;
  private final Map<String, Object> arguments = new LinkedHashMap<>();
  private boolean warm;

  private Query(Assay assay, String type, String query, List<String> files) {
    this.assay = assay;
    arguments.put("query_type", type);
    arguments.put("query", query);
    arguments.put("files", files);
    arguments.put("timeout_seconds", TIMEOUT_SECONDS);
  }

  /** Of any type. */
  static Query of(Assay assay, String type, String query, List<String> files) {
    return new Query(assay, type, query, files);
  }

  static Query sql(Assay assay, String query, String... files) {
    return new Query(assay, "sql", query, List.of(files));
  }

  static Query polars(Assay assay, String query, String... files) {
    return new Query(assay, "polars_expr", query, List.of(files));
  }

  static Query python(Assay assay, String query, String... files) {
    return new Query(assay, "python", query, List.of(files));
  }

  Query with(String argument, Object value) {
    arguments.put(argument, value);
    return this;
  }

  /** Has its run given a warm Pod, where the classes of the chart have warm pools. */
  Query warm() {
    warm = true;
    return this;
  }

  /** The reply, whatever it is. */
  Reply reply() {
    return warm && assay.installation().hasWarmPools()
        ? WarmCalls.await(assay, () -> call(changed()))
        : call(arguments);
  }

  /** Another query each time, so that no result is used again. */
  private Map<String, Object> changed() {
    Map<String, Object> changed = new LinkedHashMap<>(arguments);
    if ("sql".equals(changed.get("query_type"))) {
      changed.put("query", arguments.get("query") + "\n-- " + UUID.randomUUID());
    }
    return changed;
  }

  private Reply call(Map<String, Object> given) {
    return assay.call("analytics_execute_query", given);
  }

  /** The structured result of a query that succeeds. */
  JsonNode result() {
    Reply reply = reply();
    assertThat(reply.isError()).as(reply.text()).isFalse();
    return JSON.valueToTree(reply.structured());
  }

  /** The structured error of a query that fails. */
  JsonNode error() {
    Reply reply = reply();
    assertThat(reply.isError()).as(reply.text()).isTrue();
    JsonNode structured = JSON.valueToTree(reply.structured());
    assertThat(structured.path("result_type").asText()).as(reply.text()).isEqualTo("error");
    return structured.path("error");
  }

  /** The rows of a query that succeeds, each as its values in the order of the columns. */
  List<List<JsonNode>> rows() {
    JsonNode result = result();
    List<List<JsonNode>> rows = new ArrayList<>();
    for (JsonNode row : result.path("data")) {
      List<JsonNode> values = new ArrayList<>();
      result.path("columns").forEach(column -> values.add(row.path(column.asText())));
      rows.add(values);
    }
    return rows;
  }
}
