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
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.PrintStream;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Makes calls as an agent would, and prints the replies. */
final class Demo {
  private static final String TOOL = "execute_custom_analytics_code";
  private static final Duration LONGEST_CALL = Duration.ofMinutes(2);

  private static final List<Call> CALLS =
      List.of(
          new Call(
              "A summary",
              """
              df["revenue"] = df["units"] * df["price"]
              print(df.groupby("region")["revenue"].sum().round(2).to_string())
              """,
              30),
          new Call(
              "An error, with the line where it happened",
              """
              best = df.groupby("regoin")["units"].sum()
              print(best)
              """,
              30),
          new Call(
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

  private record Call(String what, String code, int timeoutSeconds) {}

  private final Endpoint endpoint;
  private final boolean hasTools;
  private final PrintStream out;

  /**
   * A demonstration.
   *
   * @param hasTools whether scripts can call the tools of {@link DemoServer}
   */
  Demo(Endpoint endpoint, boolean hasTools, PrintStream out) {
    this.endpoint = endpoint;
    this.hasTools = hasTools;
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
      if (hasTools) {
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
    out.printf(
        "-> %s(dataset_name=\"%s\", timeout_seconds=%d, python_code=…)%n",
        TOOL, SampleData.NAME, call.timeoutSeconds);
    printLines(call.code);
    CallToolResult result =
        timed(
            mcp,
            TOOL,
            Map.of(
                "dataset_name", SampleData.NAME,
                "python_code", call.code,
                "timeout_seconds", call.timeoutSeconds));
    printLines(text(result));
    out.println();
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
