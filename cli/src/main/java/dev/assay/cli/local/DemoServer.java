package dev.assay.cli.local;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingDouble;

import dev.assay.cli.local.McpServerEntry.Program;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/**
 * The MCP server of the demonstration, on standard input and output: two tools that read the sample
 * data. A program of its own, as those of users are.
 */
public final class DemoServer {
  /** What scripts call it. */
  static final String NAME = "shop";

  /** The command that runs it. */
  public static final String COMMAND = "demo-server";

  static final String LIST_REGIONS = "list_regions";
  static final String MONTHLY_REVENUE = "monthly_revenue";
  private static final String REGION = "region";
  private static final JacksonMcpJsonMapper JSON =
      new JacksonMcpJsonMapper(JsonMapper.builder().build());

  private record Sale(String month, String region, double revenue) {}

  private final List<Sale> sales;

  /** A server of the sample data. */
  public DemoServer() throws IOException {
    this.sales = SampleData.text().lines().skip(1).map(DemoServer::sale).toList();
  }

  private static Sale sale(String line) {
    String[] cells = line.split(",", -1);
    return new Sale(cells[0], cells[1], Integer.parseInt(cells[3]) * Double.parseDouble(cells[4]));
  }

  /** How it is started. */
  static Program entry() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    // Use the AOT cache that this JVM was started with.
    String[] ownOptions = ProcessHandle.current().info().arguments().orElse(new String[0]);
    Arrays.stream(ownOptions)
        .filter(option -> option.startsWith("-XX:AOTCache="))
        .forEach(command::add);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), "dev.assay.cli.Assay", COMMAND));
    return new Program(NAME, true, false, command, Map.of(), null);
  }

  /** Serves until the input ends. */
  public void run(InputStream in, OutputStream out) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    McpSyncServer server =
        McpServer.sync(new StdioServerTransportProvider(JSON, new WatchedInput(in, ended), out))
            .serverInfo(NAME, "1")
            .capabilities(ServerCapabilities.builder().tools(false).build())
            // One call after another: of replies that two threads send at once, the transport
            // drops the one that waits for more than 100 ms.
            .immediateExecution(true)
            .tools(
                List.of(
                    tool(
                        LIST_REGIONS,
                        "Lists the regions that sales were made in.",
                        Map.of("type", "object"),
                        arguments -> regions()),
                    tool(
                        MONTHLY_REVENUE,
                        "The revenue of a region in each month.",
                        Map.of(
                            "type",
                            "object",
                            "properties",
                            Map.of(REGION, Map.of("type", "string")),
                            "required",
                            List.of(REGION)),
                        arguments -> monthlyRevenue(String.valueOf(arguments.get(REGION))))))
            .build();
    ended.await();
    server.close();
  }

  private static SyncToolSpecification tool(
      String name,
      String description,
      Map<String, Object> schema,
      Function<Map<String, Object>, Map<String, Object>> call) {
    return SyncToolSpecification.builder()
        .tool(
            Tool.builder(name, schema)
                .description(description)
                .annotations(
                    ToolAnnotations.builder().readOnlyHint(true).openWorldHint(false).build())
                .build())
        .callHandler((exchange, request) -> result(call.apply(arguments(request))))
        .build();
  }

  private static Map<String, Object> arguments(CallToolRequest request) {
    return request.arguments() == null ? Map.of() : request.arguments();
  }

  private static CallToolResult result(Map<String, Object> content) {
    return CallToolResult.builder()
        .structuredContent(content)
        .addTextContent(JsonMapper.shared().writeValueAsString(content))
        .build();
  }

  private Map<String, Object> regions() {
    return Map.of("regions", sales.stream().map(Sale::region).distinct().sorted().toList());
  }

  private Map<String, Object> monthlyRevenue(String region) {
    TreeMap<String, Double> byMonth =
        sales.stream()
            .filter(sale -> sale.region.equals(region))
            .collect(groupingBy(Sale::month, TreeMap::new, summingDouble(Sale::revenue)));
    return Map.of(
        "months",
        byMonth.entrySet().stream()
            .map(
                month ->
                    Map.of(
                        "month",
                        month.getKey(),
                        "revenue",
                        Math.round(month.getValue() * 100) / 100.0))
            .toList());
  }

  /** Says when the client has closed the input, which the transport keeps to itself. */
  private static final class WatchedInput extends FilterInputStream {
    private final CountDownLatch ended;

    WatchedInput(InputStream in, CountDownLatch ended) {
      super(in);
      this.ended = ended;
    }

    @Override
    public int read() throws IOException {
      return watched(super.read());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return watched(super.read(bytes, offset, length));
    }

    private int watched(int result) {
      if (result < 0) {
        ended.countDown();
      }
      return result;
    }
  }
}
