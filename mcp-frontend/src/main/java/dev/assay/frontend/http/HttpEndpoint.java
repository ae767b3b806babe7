package dev.assay.frontend.http;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.mcp.Cancellations;
import dev.assay.frontend.mcp.McpEndpoint;
import dev.assay.frontend.rest.RestApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP server: {@code /mcp}, {@code /api/v1}, {@code /healthz} and {@code /readyz}. */
public final class HttpEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);
  private static final int MAX_HEADER_BYTES = 8 * 1024;
  private static final long SHUTDOWN_IDLE_MILLIS = 100;
  private static final int SPARE_CONNECTIONS = 256;

  private final Server server;
  private final ServerConnector connector;
  private final BooleanSupplier ready;

  /**
   * Times of the endpoint.
   *
   * @param idle how long a connection may be silent while a request or a response is on its way
   * @param keepAlive how long a connection stays open between two requests. It has to exceed the
   *     time after which clients and proxies stop reusing a connection (30 s in Java, 60 s in
   *     common proxies): where the server is first, a request can meet the end of its connection,
   *     and a client may not send a POST twice
   * @param heartbeat longest silence of an answer that is not ready
   * @param body how long a body may take
   * @param stop how long calls may take to end when the process does
   */
  public record Times(
      Duration idle, Duration keepAlive, Duration heartbeat, Duration body, Duration stop) {
    /** The values for production. */
    public static final Times DEFAULT =
        new Times(
            Duration.ofSeconds(30),
            Duration.ofSeconds(75),
            Duration.ofSeconds(5),
            RequestBody.MAX_TIME,
            Duration.ofSeconds(20));
  }

  /**
   * What the endpoint serves.
   *
   * @param ready whether calls can be served
   */
  public record Services(
      Identities identities,
      McpEndpoint mcp,
      Cancellations cancellations,
      CallsInFlight inFlight,
      RestApi rest,
      JsonMapper json,
      BooleanSupplier ready) {}

  /** The server, not listening yet. */
  public HttpEndpoint(
      FrontEndConfig config,
      Services services,
      EndpointMemory memory,
      Times times,
      ProgramMetrics metrics) {
    int connections = 3 * config.limits().concurrentCalls() + SPARE_CONNECTIONS;
    // Above what all connections can use at once: one that waits takes no thread from another.
    VirtualThreadPool threads = new VirtualThreadPool(4 * connections);
    threads.setName("http");
    this.server = new Server(threads);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(MAX_HEADER_BYTES);
    // A path is decoded once, and the name of a file may have a percent sign.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with("files", UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    this.ready = services.ready;
    this.connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(config.listen().address());
    connector.setPort(config.listen().port());
    // With Jetty's default of 50, the kernel drops connections of a burst, which clients repeat
    // after 1 s or more. Linux allows net.core.somaxconn at most, 4096 by default.
    connector.setAcceptQueueSize(connections);
    connector.setIdleTimeout(times.keepAlive.toMillis());
    connector.setShutdownIdleTimeout(SHUTDOWN_IDLE_MILLIS);
    server.addConnector(connector);
    ConnectionLimits limits =
        new ConnectionLimits(server, connections, times.idle, times.keepAlive);
    server.addBean(limits);
    Slots slots = Slots.of(config);
    EndpointMetrics counts = new EndpointMetrics(metrics, limits, slots);
    Gate.Parts gate =
        new Gate.Parts(
            new RequestGuard(config.allowedOrigins(), config.allowedHosts()),
            services.identities,
            memory.requests(),
            new RequestLimits(config, connections),
            limits,
            counts,
            new RequestBody.Bounds(
                config.limits().requestBytes(), RequestBody::maxTime, times.body));
    McpServlet mcp =
        new McpServlet(
            new McpServlet.Parts(
                gate,
                services.mcp,
                services.cancellations,
                services.inFlight,
                services.json,
                slots,
                memory.replies(),
                config.offeredToolGroups(),
                times.heartbeat));
    ServletContextHandler context = new ServletContextHandler();
    context.setErrorHandler(new PlainErrors());
    context.getServletHandler().setDecodeAmbiguousURIs(true);
    // Beneath it, the groups of tools that a client wants: /mcp/analytics.
    context.addServlet(new ServletHolder("mcp", mcp), "/mcp/*");
    RestServlet rest =
        new RestServlet(
            new RestServlet.Parts(
                gate, services.rest, services.json, slots, memory.replies(), times.heartbeat));
    context.addServlet(new ServletHolder("rest", rest), "/api/v1/*");
    context.addServlet(new ServletHolder("healthz", new HealthServlet(() -> true)), "/healthz");
    context.addServlet(new ServletHolder("readyz", new HealthServlet(this::isReady)), "/readyz");
    context.addServlet(new ServletHolder("not-found", new NotFoundServlet(services.json)), "/");
    GracefulHandler graceful = new GracefulHandler();
    graceful.setHandler(context);
    server.setHandler(limits.applyTo(counts.of(graceful)));
    server.setErrorHandler(new PlainErrors());
    server.setStopTimeout(times.stop.toMillis());
  }

  /**
   * Starts listening.
   *
   * @throws UncheckedIOException where the address cannot be used
   */
  @SuppressWarnings("CatchingUnchecked") // Jetty declares Exception.
  public void start() {
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return new InetSocketAddress(connector.getHost(), connector.getLocalPort());
  }

  /** Whether calls can be served. */
  public boolean isReady() {
    return server.isRunning() && ready.getAsBoolean();
  }

  /** Stops listening, and waits for calls in progress. */
  @Override
  @SuppressWarnings("CatchingUnchecked") // Jetty declares Exception.
  public void close() {
    try {
      server.stop();
    } catch (TimeoutException e) {
      log.info("timed out waiting for calls in progress to end");
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
