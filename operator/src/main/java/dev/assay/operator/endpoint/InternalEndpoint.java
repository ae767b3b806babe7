package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.assay.api.authentication.CallerReview;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.upload.Uploads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.regex.Matcher;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the front end asks of the operator, over TLS and with a token issued for this endpoint:
 *
 * <ul>
 *   <li>{@code GET /internal/v1/namespaces/NAMESPACE/runs/RUN_UID/output?offset=N}: the stored
 *       output from byte N (default 0) to its end, with a Content-Length if the output is finished,
 *       and in chunks while there may be more; 404 if nothing is stored.
 *   <li>{@code GET /internal/v1/namespaces/NAMESPACE/runs/RUN_UID/value}: the stored value, JSON
 *       text; 404 if none is stored, as for a value that the run's status contains.
 *   <li>{@code GET
 *       /internal/v1/namespaces/NAMESPACE/runs/RUN_UID/artifacts/NUMBER?offset=N&length=M}: at most
 *       M bytes of a stored artifact from byte N on (default: from 0 to its end); 404 if it is not
 *       stored.
 *   <li>{@code GET /internal/v1/namespaces/NAMESPACE/runs/RUN_UID/calls}: the records of the calls
 *       of tools that its code has made, one line of JSON for each, by number; the last line is no
 *       JSON if they could not be read to their end. 404 if there are none, and 503 while too many
 *       ask for records.
 *   <li>{@code GET /internal/v1/namespaces/NAMESPACE/tool-definitions/DIGEST}: the definition of a
 *       tool; 404 if it is not stored.
 *   <li>{@code PUT /internal/v1/namespaces/NAMESPACE/datasets/DATASET_UID/uploads/ID}: delivers the
 *       bytes of an upload to its Pod. 204 when the Pod has them; 404 if no Pod waits for them, 409
 *       if another sender is delivering them, 411 or 400 if their length is missing or differs from
 *       the dataset's spec, and 502 if the delivery failed.
 * </ul>
 */
public final class InternalEndpoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InternalEndpoint.class);

  private final int port;
  private final SSLContext tls;
  private final ExecutorService threads;
  private final CallerReview callers;
  private final OutputHandler outputs;
  private final ArtifactHandler artifacts;
  private final CallRecordsHandler calls;
  private final List<StoredBytesHandler> stored;
  private final UploadHandler uploads;
  private @Nullable HttpsServer server;

  /**
   * An endpoint that does not listen yet.
   *
   * @param callers decides who may ask
   */
  public InternalEndpoint(
      int port,
      SSLContext tls,
      CallerReview callers,
      OutputStore outputs,
      Uploads uploads,
      ExecutorService threads) {
    this.port = port;
    this.tls = tls;
    this.callers = callers;
    this.threads = threads;
    this.outputs = new OutputHandler(outputs);
    this.artifacts = new ArtifactHandler(outputs);
    this.calls = new CallRecordsHandler(outputs);
    this.stored =
        List.of(StoredBytesHandler.values(outputs), StoredBytesHandler.definitions(outputs));
    this.uploads = new UploadHandler(uploads);
  }

  /**
   * Starts the endpoint; runs on the leader only.
   *
   * @throws IOException if the port cannot be bound
   */
  public synchronized void start() throws IOException {
    HttpsServer server = HttpsServer.create(new InetSocketAddress(port), 128);
    this.server = server;
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(threads);
    server.createContext("/internal/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status = callers.acceptsHeader(authorization(exchange)) ? serve(exchange) : 401;
      if (status != 200) {
        exchange.sendResponseHeaders(status, -1);
      }
    } catch (RuntimeException e) {
      LOG.warn("An internal request failed: {}", e.toString());
    }
  }

  private static @Nullable String authorization(HttpExchange exchange) {
    return exchange.getRequestHeaders().getFirst("Authorization");
  }

  private int serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    Matcher output = OutputHandler.PATH.matcher(path);
    if (output.matches()) {
      return outputs.serve(exchange, output);
    }
    Matcher artifact = ArtifactHandler.PATH.matcher(path);
    if (artifact.matches()) {
      return artifacts.serve(exchange, artifact);
    }
    Matcher records = CallRecordsHandler.PATH.matcher(path);
    if (records.matches()) {
      return calls.serve(exchange, records);
    }
    for (StoredBytesHandler handler : stored) {
      Matcher matched = handler.path().matcher(path);
      if (matched.matches()) {
        return handler.serve(exchange, matched);
      }
    }
    Matcher upload = UploadHandler.PATH.matcher(path);
    return upload.matches() ? uploads.serve(exchange, upload) : 404;
  }

  @Override
  public synchronized void close() {
    if (server != null) {
      server.stop(0);
    }
  }
}
