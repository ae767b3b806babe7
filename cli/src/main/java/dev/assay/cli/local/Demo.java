package dev.assay.cli.local;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.text.RunTable;
import dev.assay.cli.text.Times;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Makes calls as an agent would, and prints the replies. */
final class Demo {
  private static final Duration LONGEST_CALL = Duration.ofMinutes(2);
  private static final String PYTHON_TOOL = "execute_custom_analytics_code";

  private static final List<Call> CALLS =
      List.of(
          python(
              "A summary",
              """
              df["revenue"] = df["units"] * df["price"]
              print(df.groupby("region")["revenue"].sum().round(2).to_string())
              """,
              30),
          new Call(
              "A query in SQL, with a chart",
              "analytics_execute_query",
              Map.of(
                  "query_type", "sql", "files", List.of(SampleData.NAME), "generate_chart", true),
              "query",
              """
              SELECT product, round(sum(units * price)) AS revenue
              FROM sales GROUP BY product ORDER BY revenue DESC
              """),
          python(
              "An error, with the line where it happened",
              """
              best = df.groupby("regoin")["units"].sum()
              print(best)
              """,
              30),
          python(
              "A loop without an end, stopped by its time limit",
              """
              n = 0
              print("counting", flush=True)
              while True:
                  n += 1
              """,
              1));

  private static final String SCRIPT_TOOL = "code_execution";

  /** The best month of each region, of which no agent has to read all months. */
  private static final String SCRIPT =
      """
      const {regions} = call_tool('shop', 'list_regions').result;
      const all = call_tools(regions.map(
        region => ({server: 'shop', tool: 'monthly_revenue', args: {region}})));
      Object.fromEntries(regions.map((region, i) => {
        const best = all[i].result.months.reduce((a, b) => b.revenue > a.revenue ? b : a);
        return [region, best.month + ': ' + best.revenue];
      }))
      """;

  /**
   * A call.
   *
   * @param what it shows
   * @param arguments without the text
   * @param parameter whose argument is the text
   */
  private record Call(
      String what, String tool, Map<String, Object> arguments, String parameter, String text) {
    Map<String, Object> allArguments() {
      Map<String, Object> all = new TreeMap<>(arguments);
      all.put(parameter, text);
      return all;
    }

    /** In one line, without the text. */
    String line() {
      String shown =
          new TreeMap<>(arguments)
              .entrySet().stream()
                  .map(
                      argument ->
                          argument.getKey()
                              + "="
                              + JsonMapper.shared().writeValueAsString(argument.getValue()))
                  .collect(Collectors.joining(", "));
      return "%s(%s, %s=…)".formatted(tool, shown, parameter);
    }
  }

  private static Call python(String what, String code, int timeoutSeconds) {
    return new Call(
        what,
        PYTHON_TOOL,
        Map.of("dataset_name", SampleData.NAME, "timeout_seconds", timeoutSeconds),
        "python_code",
        code);
  }

  private final Endpoint endpoint;
  private final @Nullable Runnable awaitTools;
  private final PrintStream out;

  /**
   * A demonstration.
   *
   * @param awaitTools waits until scripts can call the tools of {@link DemoServer}; null if they
   *     never can
   */
  Demo(Endpoint endpoint, @Nullable Runnable awaitTools, PrintStream out) {
    this.endpoint = endpoint;
    this.awaitTools = awaitTools;
    this.out = out;
  }

  /** Makes the calls and prints them. */
  void run() throws ApiException, InterruptedException {
    var transport =
        HttpClientStreamableHttpTransport.builder(endpoint.uri().toString())
            .endpoint("/mcp")
            .requestBuilder(
                HttpRequest.newBuilder().header("Authorization", "Bearer " + endpoint.key()))
            .build();
    try (McpSyncClient mcp =
        McpClient.sync(transport)
            .requestTimeout(LONGEST_CALL)
            .initializationTimeout(LONGEST_CALL)
            .build()) {
      var unused = mcp.initialize();
      CALLS.forEach(call -> make(mcp, call));
      if (awaitTools != null) {
        awaitTools.run();
        runScript(mcp);
      }
    }
    out.println("$ assay runs");
    try (AssayClient rest = new AssayClient(endpoint)) {
      RunTable.lines(rest.runs(Map.of()).path("items"), Instant.now()).forEach(out::println);
    }
  }

  private void make(McpSyncClient mcp, Call call) {
    out.printf("── %s%n", call.what);
    out.printf("-> %s%n", call.line());
    printLines(call.text);
    CallToolResult result = timed(mcp, call.tool, call.allArguments());
    printLines(text(result));
    result.content().stream()
        .filter(ImageContent.class::isInstance)
        .map(ImageContent.class::cast)
        .forEach(this::keep);
    out.println();
  }

  /** Agents are shown the picture itself. */
  private void keep(ImageContent picture) {
    try {
      Path file = Files.createTempFile("assay-demo-", ".png");
      Files.write(file, Base64.getDecoder().decode(picture.data()));
      printLines("The chart, which the agent sees, is in " + file);
    } catch (IOException e) {
      printLines("The chart cannot be kept for you to see: " + e.getMessage());
    }
  }

  private void runScript(McpSyncClient mcp) {
    out.println("── A script that calls the tools of an MCP server");
    out.printf("-> %s(code=…)%n", SCRIPT_TOOL);
    printLines(SCRIPT);
    CallToolResult result = timed(mcp, SCRIPT_TOOL, Map.of("code", SCRIPT));
    JsonNode reply = JsonMapper.shared().valueToTree(result.structuredContent());
    printLines(
        reply.path("ok").asBoolean()
            ? reply.path("value") + "\n" + reply.at("/stats/tool_calls/sent") + " calls of tools"
            : text(result));
    out.println();
  }

  private CallToolResult timed(McpSyncClient mcp, String tool, Map<String, Object> arguments) {
    long began = System.nanoTime();
    CallToolResult result =
        mcp.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
    long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
    out.printf("<- after %s%n", Times.duration(millis));
    return result;
  }

  private void printLines(String text) {
    text.lines().forEach(line -> out.println("     " + line));
  }

  private static String text(CallToolResult result) {
    return result.content().stream()
        .filter(TextContent.class::isInstance)
        .map(content -> ((TextContent) content).text())
        .collect(Collectors.joining("\n"));
  }
}
