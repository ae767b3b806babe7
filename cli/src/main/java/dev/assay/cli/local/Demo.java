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

/** Makes three calls as an agent would, and prints the replies. */
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

  private record Call(String what, String code, int timeoutSeconds) {}

  private final Endpoint endpoint;
  private final PrintStream out;

  Demo(Endpoint endpoint, PrintStream out) {
    this.endpoint = endpoint;
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
    call.code.lines().forEach(line -> out.println("     " + line));
    long began = System.nanoTime();
    CallToolResult result =
        mcp.callTool(
            CallToolRequest.builder(TOOL)
                .arguments(
                    Map.of(
                        "dataset_name", SampleData.NAME,
                        "python_code", call.code,
                        "timeout_seconds", call.timeoutSeconds))
                .build());
    long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();
    out.printf("<- after %s%n", Times.duration(millis));
    text(result).lines().forEach(line -> out.println("     " + line));
    out.println();
  }

  private static String text(CallToolResult result) {
    return result.content().stream()
        .filter(TextContent.class::isInstance)
        .map(content -> ((TextContent) content).text())
        .collect(Collectors.joining("\n"));
  }
}
