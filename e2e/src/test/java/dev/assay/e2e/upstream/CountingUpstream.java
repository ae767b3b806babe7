package dev.assay.e2e.upstream;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/**
 * A server of MCP in this process, by the SDK, over Streamable HTTP. It counts the calls that reach
 * it, by an identifier that the caller passes, and its list of tools can be changed.
 *
 * <p>Its tools: {@code count}, {@code hold} and {@code wait} count a call; {@code hold} ends when
 * it is released. {@code echo} and {@code headers} return what was sent, {@code bytes} a text of a
 * length, {@code fail} an error. {@code erase} says of itself that it is destructive.
 */
public final class CountingUpstream implements AutoCloseable {
  /** What it calls itself. */
  public static final String NAME = "counting";

  private static final String HEADERS = "headers";
  private static final String PORT = "port";
  private static final long MAX_HELD_SECONDS = 300;
  private static final long LONGEST_SECONDS = 120;
  private static final ToolAnnotations READS = ToolAnnotations.builder().readOnlyHint(true).build();
  private static final ToolAnnotations WRITES =
      ToolAnnotations.builder().destructiveHint(false).build();

  private final Server jetty = new Server();
  private final ServerConnector connector = new ServerConnector(jetty);
  private final AtomicInteger openConnections = new AtomicInteger();
  private final AtomicInteger maxConnections = new AtomicInteger();
  private final McpSyncServer mcp;
  private final Map<String, SyncToolSpecification> tools = new ConcurrentHashMap<>();
  private final Map<String, Integer> calls = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  private final Map<String, Integer> ports = new ConcurrentHashMap<>();
  private final Map<String, String> lastHeaders = new ConcurrentHashMap<>();
  private final AtomicInteger inProgress = new AtomicInteger();
  private final AtomicInteger maxInProgress = new AtomicInteger();

  /**
   * Starts one.
   *
   * @param address of this machine, at which it listens, at any free port
   */
  public static CountingUpstream start(String address) {
    CountingUpstream upstream = new CountingUpstream(address);
    try {
      upstream.jetty.start();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return upstream;
  }

  private CountingUpstream(String address) {
    HttpServletStreamableServerTransportProvider transport =
        HttpServletStreamableServerTransportProvider.builder()
            .jsonMapper(McpJsonDefaults.getMapper())
            .mcpEndpoint("/mcp")
            .contextExtractor(
                request ->
                    McpTransportContext.create(
                        Map.of(HEADERS, headers(request), PORT, request.getRemotePort())))
            .build();
    mcp =
        McpServer.sync(transport)
            .serverInfo(NAME, "1.0")
            .capabilities(ServerCapabilities.builder().tools(true).build())
            // Else few calls would be in progress at once, and a changed schema refuse them.
            .immediateExecution(true)
            .validateToolInputs(false)
            .build();
    connector.setHost(address);
    connector.addBean(connections());
    jetty.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler();
    ServletHolder holder = new ServletHolder(transport);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    jetty.setHandler(context);
    addTools();
  }

  private Connection.Listener connections() {
    return new Connection.Listener() {
      @Override
      public void onOpened(Connection connection) {
        int open = openConnections.incrementAndGet();
        maxConnections.accumulateAndGet(open, Math::max);
      }

      @Override
      public void onClosed(Connection connection) {
        openConnections.decrementAndGet();
        synchronized (CountingUpstream.this) {
          CountingUpstream.this.notifyAll();
        }
      }
    };
  }

  private void addTools() {
    tool("count", "Counts a call of an identifier.", WRITES, arguments("id"), this::count);
    tool(
        "hold",
        "Counts a call, and ends when it is released.",
        WRITES,
        arguments("id"),
        this::hold);
    tool(
        "wait",
        "Counts a call, and takes a while.",
        WRITES,
        arguments("id", "millis"),
        this::waitFor);
    tool("echo", "Returns a value as it is.", READS, arguments("value"), CountingUpstream::echo);
    tool(
        "bytes",
        "Returns a text of a length.",
        READS,
        arguments("length"),
        CountingUpstream::bytes);
    tool("fail", "Reports an error.", READS, arguments("message"), CountingUpstream::fail);
    tool(HEADERS, "Returns the headers of its request.", READS, arguments(), this::headers);
    tool(
        "erase",
        "Counts a call that destroys something.",
        ToolAnnotations.builder().destructiveHint(true).build(),
        arguments("id"),
        this::count);
  }

  /** The schema of an object with these properties, all optional. */
  public static Map<String, Object> arguments(String... properties) {
    Map<String, Object> schemas = new TreeMap<>();
    for (String property : properties) {
      schemas.put(
          property,
          switch (property) {
            case "millis", "length" -> Map.of("type", "integer");
            case "value" -> Map.of();
            default -> Map.of("type", "string");
          });
    }
    return Map.of("type", "object", "properties", schemas);
  }

  /** Adds a tool, or replaces the one of that name, and tells all sessions. */
  public void tool(
      String name,
      String description,
      @Nullable ToolAnnotations annotations,
      Map<String, Object> schema,
      BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> handler) {
    Tool.Builder tool = Tool.builder(name, schema).description(description);
    list(
        SyncToolSpecification.builder()
            .tool(annotations == null ? tool.build() : tool.annotations(annotations).build())
            .callHandler(
                (exchange, request) -> {
                  begin();
                  try {
                    return handler.apply(exchange, request);
                  } finally {
                    inProgress.decrementAndGet();
                  }
                })
            .build());
  }

  private void begin() {
    maxInProgress.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
  }

  /** Lists another definition of a tool, which works as before, and tells all sessions. */
  public void change(String name, UnaryOperator<Tool> change) {
    SyncToolSpecification before = tools.get(name);
    list(
        SyncToolSpecification.builder()
            .tool(change.apply(before.tool()))
            .callHandler(before.callHandler())
            .build());
  }

  private void list(SyncToolSpecification tool) {
    tools.put(tool.tool().name(), tool);
    mcp.addTool(tool);
  }

  /** The definition of a tool that is listed now. */
  public Tool listed(String name) {
    return tools.get(name).tool();
  }

  /** The address for a ToolServer. */
  public URI url() {
    return URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort() + "/mcp");
  }

  /** How many calls with an identifier have reached it. */
  public int calls(String id) {
    return calls.getOrDefault(id, 0);
  }

  /** Waits until a call with an identifier has reached it. */
  public void awaitCall(String id) {
    await(() -> calls(id) > 0, LONGEST_SECONDS, "no call with the identifier " + id + " has come");
  }

  /** The port from which the last call of {@code hold} with an identifier came. */
  public int portOf(String id) {
    return ports.get(id);
  }

  /** How many connections were open at once at most. */
  public int maxConnections() {
    return maxConnections.get();
  }

  /**
   * Waits until its clients have no more open connections. It closes one itself after it was idle
   * for 30 seconds.
   */
  public void awaitConnections(int most, long maxSeconds) {
    await(() -> openConnections.get() <= most, maxSeconds, "clients keep their connections open");
  }

  private synchronized void await(BooleanSupplier holds, long maxSeconds, String otherwise) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(maxSeconds);
    while (!holds.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError(otherwise);
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Ends the calls of {@code hold} with an identifier, also those that are still to come. */
  public void release(String id) {
    latch(id).countDown();
  }

  /** How many calls were in progress at once at most. */
  public int maxInProgress() {
    return maxInProgress.get();
  }

  /** The headers of the last call of {@code headers}, by their names in lower case. */
  public Map<String, String> lastHeaders() {
    return Map.copyOf(lastHeaders);
  }

  /** How many tools it lists. */
  public int size() {
    return tools.size();
  }

  /** Counts a call with the identifier in its arguments, if there is one. */
  private synchronized int counted(CallToolRequest request) {
    Object id = request.arguments() == null ? null : request.arguments().get("id");
    if (id == null) {
      return 0;
    }
    int number = calls.merge(String.valueOf(id), 1, Integer::sum);
    notifyAll();
    return number;
  }

  private CallToolResult count(McpSyncServerExchange exchange, CallToolRequest request) {
    return structured(Map.of("calls", counted(request)));
  }

  private CallToolResult hold(McpSyncServerExchange exchange, CallToolRequest request) {
    String id = String.valueOf(request.arguments().get("id"));
    ports.put(id, (Integer) exchange.transportContext().get(PORT));
    int number = counted(request);
    await(latch(id), MAX_HELD_SECONDS * 1000);
    return structured(Map.of("calls", number));
  }

  private CallToolResult waitFor(McpSyncServerExchange exchange, CallToolRequest request) {
    int number = counted(request);
    await(latch(""), ((Number) request.arguments().get("millis")).longValue());
    return structured(Map.of("calls", number));
  }

  private static CallToolResult echo(McpSyncServerExchange exchange, CallToolRequest request) {
    return structured(
        Collections.singletonMap("value", request.arguments().getOrDefault("value", null)));
  }

  private static CallToolResult bytes(McpSyncServerExchange exchange, CallToolRequest request) {
    return text("b".repeat(((Number) request.arguments().get("length")).intValue()));
  }

  private static CallToolResult fail(McpSyncServerExchange exchange, CallToolRequest request) {
    return CallToolResult.builder()
        .addTextContent(String.valueOf(request.arguments().get("message")))
        .isError(true)
        .build();
  }

  /** An echo of what nobody should see: in structured content and in text. */
  private CallToolResult headers(McpSyncServerExchange exchange, CallToolRequest request) {
    Map<?, ?> headers = (Map<?, ?>) exchange.transportContext().get(HEADERS);
    lastHeaders.clear();
    headers.forEach((name, value) -> lastHeaders.put((String) name, (String) value));
    return CallToolResult.builder()
        .addTextContent(headers.toString())
        .structuredContent(Map.of(HEADERS, headers))
        .build();
  }

  private static Map<String, String> headers(HttpServletRequest request) {
    Map<String, String> headers = new TreeMap<>();
    for (String name : Collections.list(request.getHeaderNames())) {
      headers.put(name.toLowerCase(Locale.ROOT), request.getHeader(name));
    }
    return headers;
  }

  /** A result with structured content. */
  public static CallToolResult structured(Object content) {
    return CallToolResult.builder().content(List.of()).structuredContent(content).build();
  }

  /** A result with a text. */
  public static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  private CountDownLatch latch(String id) {
    return held.computeIfAbsent(id, key -> new CountDownLatch(1));
  }

  private static void await(CountDownLatch latch, long millis) {
    try {
      var unused = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    held.values().forEach(CountDownLatch::countDown);
    mcp.close();
    try {
      jetty.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
