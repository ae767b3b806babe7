package dev.assay.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What agents do, often enough for the JVMs to find out which methods are worth compiling: the AOT
 * cache keeps that.
 */
final class Workload {
  private static final int ROUNDS = 60;
  private static final int CALLERS = 2;
  private static final String DATASET =
      "{\"dataset_name\": \"sales\", \"text\": \"region,price\\nnorth,3\\nsouth,4\\n\","
          + " \"replace\": true}";

  private final Calls calls;
  private final ObjectMapper json = new ObjectMapper();

  Workload(Calls calls) {
    this.calls = calls;
  }

  /** Makes all calls; throws if one of them fails. */
  void run() throws IOException, InterruptedException, ExecutionException {
    initialize();
    load();
    calls.tool("describe_dataset", "{\"dataset_name\": \"sales\"}");
    try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        int number = round;
        all.add(
            callers.submit(
                () -> {
                  round(number);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    calls.tool("delete_dataset", "{\"dataset_name\": \"sales\"}");
  }

  /** Loads the dataset that the calls read. */
  void load() throws IOException, InterruptedException {
    calls.tool("load_dataset", DATASET);
  }

  /** The most frequent call. */
  void code(int number) throws IOException, InterruptedException {
    calls.tool(
        "execute_custom_analytics_code",
        "{\"dataset_name\": \"sales\", \"python_code\": \"print(df, %d)\"}".formatted(number));
  }

  private void initialize() throws IOException, InterruptedException {
    ObjectNode client = JsonNodeFactory.instance.objectNode();
    client.put("protocolVersion", "2025-06-18").putObject("capabilities");
    client.putObject("clientInfo").put("name", "training").put("version", "1");
    calls.mcp("initialize", client);
  }

  private void round(int number) throws IOException, InterruptedException {
    code(number);
    code(-number);
    calls.tool(
        "analytics_execute_query",
        "{\"query_type\": \"sql\", \"files\": [\"sales\"], \"query\": \"SELECT %d FROM sales\"}"
            .formatted(number));
    restRun(number);
    if (number % 5 == 0) {
      calls.mcp("tools/list", JsonNodeFactory.instance.objectNode());
      calls.tool("list_datasets", "{}");
      calls.tool("describe_dataset", "{\"dataset_name\": \"sales\"}");
      calls.tool("list_runs", "{}");
      calls.tool(
          "execute_custom_analytics_code",
          "{\"python_code\": \"print(%d)\", \"mode\": \"code\"}".formatted(number));
      calls.rest("GET", "/runs?limit=20", "");
      calls.rest("GET", "/datasets", "");
    }
  }

  private void restRun(int number) throws IOException, InterruptedException {
    String created =
        calls.rest(
            "POST", "/runs", "{\"code\": \"print(%d)\", \"waitSeconds\": 30}".formatted(number));
    String name = json.readTree(created).path("name").asText();
    calls.rest("GET", "/runs/" + name, "");
    calls.rest("GET", "/runs/" + name + "/output", "");
    calls.tool("get_run", "{\"name\": \"%s\"}".formatted(name));
  }
}
