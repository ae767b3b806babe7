package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.output.OutputStore;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the front end reads from the operator, over TLS and with a token issued for this endpoint:
 *
 * <p>{@code GET /internal/v1/namespaces/NAMESPACE/runs/RUN_UID/output?offset=N}: the stored output
 * from byte N (default 0) to its end; 404 where nothing is stored.
 */
public final class InternalEndpoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InternalEndpoint.class);
  private static final Pattern OUTPUT =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})/output");
  private static final Pattern OFFSET = Pattern.compile("offset=([0-9]{1,12})");
  private static final String BEARER = "Bearer ";

  private final EndpointConfig config;
  private final SSLContext tls;
  private final ExecutorService threads;
  private final CallerReview callers;
  private final OutputStore outputs;
  private @Nullable HttpsServer server;

  public InternalEndpoint(
      EndpointConfig config,
      SSLContext tls,
      KubernetesClient client,
      OutputStore outputs,
      ExecutorService threads,
      Clock clock) {
    this.config = config;
    this.tls = tls;
    this.threads = threads;
    this.callers = new CallerReview(client, config, clock);
    this.outputs = outputs;
  }

  /**
   * Starts to serve; only the leader does.
   *
   * @throws IOException where the port cannot be had
   */
  public synchronized void start() throws IOException {
    HttpsServer server = HttpsServer.create(new InetSocketAddress(config.port()), 128);
    this.server = server;
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(threads);
    server.createContext("/internal/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status = authorized(exchange) ? serve(exchange) : 401;
      if (status != 200) {
        exchange.sendResponseHeaders(status, -1);
      }
    } catch (RuntimeException e) {
      LOG.warn("An internal request failed: {}", e.toString());
    }
  }

  private boolean authorized(HttpExchange exchange) {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    return header != null
        && header.startsWith(BEARER)
        && callers.accepts(header.substring(BEARER.length()));
  }

  private int serve(HttpExchange exchange) throws IOException {
    Matcher path = OUTPUT.matcher(exchange.getRequestURI().getPath());
    if (!path.matches()) {
      return 404;
    }
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    long offset = 0;
    String query = exchange.getRequestURI().getQuery();
    if (query != null) {
      Matcher parameter = OFFSET.matcher(query);
      if (!parameter.matches()) {
        return 400;
      }
      offset = Long.parseLong(parameter.group(1));
    }
    Optional<InputStream> output = outputs.read(path.group(1), path.group(2), offset);
    if (output.isEmpty()) {
      return 404;
    }
    try (InputStream bytes = output.get()) {
      exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
      exchange.sendResponseHeaders(200, 0);
      bytes.transferTo(exchange.getResponseBody());
    }
    return 200;
  }

  @Override
  public synchronized void close() {
    if (server != null) {
      server.stop(0);
    }
  }
}
