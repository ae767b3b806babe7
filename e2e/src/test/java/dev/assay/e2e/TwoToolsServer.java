package dev.assay.e2e;

import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server of MCP by the SDK, in this process by HTTP, or as a program that speaks stdio. {@code
 * add} adds two numbers, {@code exit} ends its process.
 */
final class TwoToolsServer implements AutoCloseable {
  private static final JacksonMcpJsonMapper JSON =
      new JacksonMcpJsonMapper(JsonMapper.builder().build());

  private final Server jetty = new Server();
  private final ServerConnector connector = new ServerConnector(jetty);

  /**
   * Starts one on the loopback address.
   *
   * @param token that requests must have
   */
  TwoToolsServer(String token) throws Exception {
    HttpServletStreamableServerTransportProvider transport =
        HttpServletStreamableServerTransportProvider.builder()
            .jsonMapper(JSON)
            .mcpEndpoint("/mcp")
            .build();
    var unused =
        McpServer.sync(transport)
            .serverInfo("two-tools", "1")
            .capabilities(ServerCapabilities.builder().tools(false).build())
            .tools(tools())
            .build();
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    Filter onlyWithToken =
        (request, response, chain) -> {
          String sent = ((HttpServletRequest) request).getHeader("Authorization");
          if (("Bearer " + token).equals(sent)) {
            chain.doFilter(request, response);
          } else {
            ((HttpServletResponse) response).sendError(HttpServletResponse.SC_UNAUTHORIZED);
          }
        };
    FilterHolder filter = new FilterHolder(onlyWithToken);
    filter.setAsyncSupported(true);
    context.addFilter(filter, "/*", EnumSet.allOf(DispatcherType.class));
    ServletHolder servlet = new ServletHolder(transport);
    servlet.setAsyncSupported(true);
    context.addServlet(servlet, "/*");
    jetty.setHandler(context);
    jetty.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/mcp");
  }

  /** The command that starts it as a program. */
  static List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Dlogback.configurationFile=dev/assay/cli/logback.xml",
        "-cp",
        System.getProperty("java.class.path"),
        TwoToolsServer.class.getName());
  }

  /** Serves on standard input and output until the process is ended. */
  public static void main(String[] arguments) throws InterruptedException {
    McpSyncServer server =
        McpServer.sync(new StdioServerTransportProvider(JSON))
            .serverInfo("two-tools", "1")
            .capabilities(ServerCapabilities.builder().tools(false).build())
            .tools(tools())
            .build();
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    Thread.currentThread().join();
  }

  private static List<SyncToolSpecification> tools() {
    return List.of(
        tool(
            "add",
            arguments ->
                CallToolResult.builder()
                    .structuredContent(
                        Map.of("sum", number(arguments, "a") + number(arguments, "b")))
                    .build()),
        tool(
            "exit",
            arguments -> {
              Runtime.getRuntime().halt(3);
              return CallToolResult.builder().build();
            }));
  }

  private static int number(Map<String, Object> arguments, String name) {
    return ((Number) arguments.get(name)).intValue();
  }

  private static SyncToolSpecification tool(
      String name, Function<Map<String, Object>, CallToolResult> call) {
    return SyncToolSpecification.builder()
        .tool(Tool.builder(name, Map.of("type", "object")).description(name).build())
        .callHandler((exchange, request) -> call.apply(arguments(request)))
        .build();
  }

  private static Map<String, Object> arguments(CallToolRequest request) {
    return request.arguments() == null ? Map.of() : request.arguments();
  }

  @Override
  public void close() {
    try {
      jetty.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
