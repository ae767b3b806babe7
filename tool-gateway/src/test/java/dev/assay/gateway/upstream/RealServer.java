package dev.assay.gateway.upstream;

import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import jakarta.servlet.Servlet;
import java.util.Map;
import java.util.function.BiFunction;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import tools.jackson.databind.json.JsonMapper;

/** A server of MCP by the SDK, in this process. */
final class RealServer implements AutoCloseable {
  private static final JacksonMcpJsonMapper JSON =
      new JacksonMcpJsonMapper(JsonMapper.builder().build());

  private final Server jetty = new Server();
  private final ServerConnector connector = new ServerConnector(jetty);
  private final McpSyncServer mcp;
  private final String path;

  private RealServer(McpSyncServer mcp, Servlet servlet, String path) throws Exception {
    this.mcp = mcp;
    this.path = path;
    connector.setHost("127.0.0.1");
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    jetty.setHandler(context);
    jetty.start();
  }

  static RealServer streamable() throws Exception {
    var transport =
        HttpServletStreamableServerTransportProvider.builder()
            .jsonMapper(JSON)
            .mcpEndpoint("/mcp")
            .build();
    return new RealServer(
        McpServer.sync(transport)
            .serverInfo("real", "1.2")
            .capabilities(ServerCapabilities.builder().tools(true).build())
            .build(),
        transport,
        "/mcp");
  }

  @SuppressWarnings("deprecation")
  static RealServer sse() throws Exception {
    var transport =
        HttpServletSseServerTransportProvider.builder()
            .jsonMapper(JSON)
            .messageEndpoint("/messages")
            .sseEndpoint("/sse")
            .build();
    return new RealServer(
        McpServer.sync(transport)
            .serverInfo("real", "1.2")
            .capabilities(ServerCapabilities.builder().tools(true).build())
            .build(),
        transport,
        "/sse");
  }

  String url() {
    return "http://127.0.0.1:" + connector.getLocalPort() + path;
  }

  void tool(
      String name, BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> handler) {
    mcp.addTool(
        io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification.builder()
            .tool(tool(name))
            .callHandler(handler)
            .build());
  }

  private static McpSchema.Tool tool(String name) {
    return McpSchema.Tool.builder(name, Map.of("type", "object"))
        .description("It is " + name)
        .build();
  }

  static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  @Override
  public void close() {
    mcp.close();
    try {
      jetty.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
