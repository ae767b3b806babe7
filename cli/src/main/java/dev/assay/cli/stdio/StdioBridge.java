package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.cli.stdio.StdioServer.BusyException;
import dev.assay.cli.stdio.StdioServer.Opened;
import dev.assay.cli.stdio.StdioServer.StillStartingException;
import dev.assay.cli.stdio.StdioSession.DuplicateIdException;
import dev.assay.cli.stdio.StdioSession.EndedException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Offers programs that speak MCP on standard input and output by streamable HTTP. Messages are
 * passed on as they are. Nobody is asked for a credential: whoever reaches the address and knows
 * the path of a program can use it, except for web pages.
 *
 * <p>The transports of the MCP SDK are not used: they drop members of messages that they do not
 * know, and read lines of any length.
 */
public final class StdioBridge implements AutoCloseable {
  /** Of a program, unless the bridge is told otherwise. */
  public static final int DEFAULT_MAX_SESSIONS = 16;

  private static final String SESSION = "Mcp-Session-Id";
  private static final String JSON = "application/json";
  private static final int MAX_REQUEST_BYTES = 4 << 20;
  private static final int BACKLOG = 128;
  private static final int TOKEN_BYTES = 32;

  /** Below the ten seconds that the tool gateway waits for a session. */
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  /** A client that has opened a session says at once that it is initialized. */
  private static final Duration FIRST_USE = Duration.ofSeconds(60);

  /** Longer than any call. */
  private static final Duration LONGEST_CALL = Duration.ofMinutes(15);

  /** How often a stream is written to, so that one that nobody reads ends. */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, StdioServer> servers = new ConcurrentHashMap<>();
  private final Duration patience;
  private final int maxSessions;
  private final Executor afterFirstUse;
  private final BrowserGuard guard;

  static {
    // Else a reply in two segments waits for the acknowledgement of the first.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** A bridge that is bound to any free port of the loopback address, and serves nothing yet. */
  public StdioBridge() throws IOException {
    this(PATIENCE, DEFAULT_MAX_SESSIONS, afterFirstUse());
  }

  StdioBridge(Duration patience, int maxSessions, Executor afterFirstUse) throws IOException {
    this(
        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
        patience,
        maxSessions,
        afterFirstUse);
  }

  /**
   * A bridge that is bound to an address, and serves nothing yet.
   *
   * @param maxSessions of each program; another one ends the one that was unused for longest
   * @throws IOException if it cannot be bound
   */
  public StdioBridge(InetSocketAddress address, int maxSessions) throws IOException {
    this(address, PATIENCE, maxSessions, afterFirstUse());
  }

  private StdioBridge(
      InetSocketAddress address, Duration patience, int maxSessions, Executor afterFirstUse)
      throws IOException {
    this.patience = patience;
    this.maxSessions = maxSessions;
    this.afterFirstUse = afterFirstUse;
    this.guard = new BrowserGuard(address.getAddress());
    this.http = HttpServer.create(address, BACKLOG);
    http.setExecutor(threads);
    http.createContext("/", this::handle);
  }

  private static Executor afterFirstUse() {
    return CompletableFuture.delayedExecutor(FIRST_USE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Starts to serve. */
  public void start() {
    http.start();
  }

  /**
   * Offers a program at a path that nobody can guess. It is started when a session is opened.
   *
   * @param name of the server, for the log
   * @return its URL, for whoever may use it
   */
  public URI offer(String name, StdioCommand command) {
    byte[] token = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(token);
    return offer(
        "/" + Base64.getUrlEncoder().withoutPadding().encodeToString(token), name, command);
  }

  /**
   * Offers a program at a path. It is started when a session is opened.
   *
   * @param path that begins with a slash
   * @param name of the server, for the log
   * @return its URL
   */
  public URI offer(String path, String name, StdioCommand command) {
    servers.put(path, new StdioServer(name, command, patience, maxSessions, afterFirstUse));
    InetSocketAddress address = http.getAddress();
    return URI.create(
        "http://" + BrowserGuard.literal(address.getAddress()) + ":" + address.getPort() + path);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      OptionalInt refusal =
          guard.refusal(exchange.getRequestMethod(), exchange.getRequestHeaders());
      if (refusal.isPresent()) {
        reply(exchange, refusal.getAsInt());
        return;
      }
      StdioServer server = servers.get(exchange.getRequestURI().getPath());
      if (server == null) {
        reply(exchange, 404);
        return;
      }
      switch (exchange.getRequestMethod()) {
        case "POST" -> post(exchange, server);
        case "GET" -> stream(exchange, server);
        case "DELETE" -> {
          String id = exchange.getRequestHeaders().getFirst(SESSION);
          if (id != null) {
            server.close(id);
          }
          reply(exchange, 204);
        }
        default -> reply(exchange, 405);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void post(HttpExchange exchange, StdioServer server)
      throws IOException, InterruptedException {
    byte[] body = exchange.getRequestBody().readNBytes(MAX_REQUEST_BYTES + 1);
    if (body.length > MAX_REQUEST_BYTES) {
      reply(exchange, 413);
      return;
    }
    Optional<RpcMessage> read = RpcMessage.read(body);
    String session = exchange.getRequestHeaders().getFirst(SESSION);
    if (read.isEmpty() || (session == null && !read.get().isInitialize())) {
      reply(exchange, 400);
      return;
    }
    RpcMessage message = read.get();
    if (session == null) {
      open(exchange, server, message);
      return;
    }
    Optional<StdioSession> found = server.session(session);
    if (found.isEmpty()) {
      // The client opens another one, with another process.
      reply(exchange, 404);
    } else if (message.isRequest()) {
      ask(exchange, found.get(), message);
    } else {
      tell(exchange, found.get(), message);
    }
  }

  private static void open(HttpExchange exchange, StdioServer server, RpcMessage message)
      throws IOException, InterruptedException {
    Opened opened;
    try {
      opened = server.open(message);
    } catch (StillStartingException | BusyException e) {
      reply(exchange, 503);
      return;
    } catch (IOException e) {
      reply(exchange, 502);
      return;
    }
    exchange.getResponseHeaders().set(SESSION, opened.id());
    reply(exchange, 200, opened.reply().line());
  }

  private static void ask(HttpExchange exchange, StdioSession session, RpcMessage request)
      throws IOException, InterruptedException {
    Optional<RpcMessage> reply;
    try {
      reply = session.ask(request).get(LONGEST_CALL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (DuplicateIdException e) {
      reply(exchange, 400, RpcMessage.refusal(String.valueOf(e.getMessage())));
      return;
    } catch (IOException e) {
      reply(exchange, status(e));
      return;
    } catch (ExecutionException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      reply(exchange, 200, RpcMessage.error(request.id(), String.valueOf(why.getMessage())));
      return;
    } catch (TimeoutException e) {
      reply(exchange, 504);
      return;
    }
    if (reply.isPresent()) {
      reply(exchange, 200, reply.get().line());
    } else {
      reply(exchange, 202);
    }
  }

  private static void tell(HttpExchange exchange, StdioSession session, RpcMessage message)
      throws IOException, InterruptedException {
    int status = 202;
    try {
      session.tell(message);
    } catch (IOException e) {
      status = status(e);
    }
    reply(exchange, status);
  }

  /** Of a message that was not sent. Without its program, the session does not exist any more. */
  private static int status(IOException failure) {
    return failure instanceof EndedException ? 404 : 503;
  }

  /** What the program says without being asked: notifications, and requests of its own. */
  private static void stream(HttpExchange exchange, StdioServer server)
      throws IOException, InterruptedException {
    String id = exchange.getRequestHeaders().getFirst(SESSION);
    Optional<StdioSession> found = id == null ? Optional.empty() : server.session(id);
    if (found.isEmpty()) {
      reply(exchange, id == null ? 400 : 404);
      return;
    }
    StdioSession session = found.get();
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    out.flush();
    while (session.isAlive()) {
      Optional<RpcMessage> message = session.nextUnasked(KEEP_ALIVE);
      try {
        out.write((message.isPresent() ? "data: " : ":").getBytes(US_ASCII));
        if (message.isPresent()) {
          out.write(message.get().line());
        }
        out.write("\n\n".getBytes(US_ASCII));
        out.flush();
      } catch (IOException e) {
        message.ifPresent(session::putBack);
        return;
      }
    }
  }

  private static void reply(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
  }

  private static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", JSON);
    exchange.sendResponseHeaders(status, body.length);
    // In pieces, since the server copies what it is given at once.
    new ByteArrayInputStream(body).transferTo(exchange.getResponseBody());
  }

  /** Ends all programs; returns when they have ended. */
  @Override
  public void close() {
    http.stop(0);
    servers.values().forEach(StdioServer::close);
    threads.shutdownNow();
  }
}
