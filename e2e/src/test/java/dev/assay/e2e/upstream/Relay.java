package dev.assay.e2e.upstream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Passes requests on to another server, as what stands before it in a network does. */
public final class Relay implements AutoCloseable {
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Of each connection. */
  private static final Set<String> OWN =
      Set.of(
          "connection",
          "content-length",
          "date",
          "expect",
          "host",
          "http2-settings",
          "transfer-encoding",
          "upgrade");

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI target;
  private final String lost;
  private final HttpServer http;

  private Relay(String address, URI target, String lost) throws IOException {
    this.target = target;
    this.lost = lost.toLowerCase(Locale.ROOT);
    http = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::pass);
    http.start();
  }

  /**
   * Starts one.
   *
   * @param address of this machine, at which it listens, at any free port
   * @param target the server
   * @param lost the name of a header that it does not pass on; empty for none
   */
  public static Relay start(String address, URI target, String lost) {
    try {
      return new Relay(address, target, lost);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()))
              .timeout(LONGEST)
              .method(
                  exchange.getRequestMethod(),
                  BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      exchange
          .getRequestHeaders()
          .forEach(
              (name, values) -> {
                String lower = name.toLowerCase(Locale.ROOT);
                if (!OWN.contains(lower) && !lower.equals(lost)) {
                  values.forEach(value -> request.header(name, value));
                }
              });
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      response
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      byte[] body = response.body();
      exchange.sendResponseHeaders(response.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The address of a path of the server. */
  public URI url(String path) {
    InetSocketAddress address = http.getAddress();
    return URI.create(
        "http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + path);
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
    client.shutdownNow();
  }
}
