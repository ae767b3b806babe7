package dev.assay.frontend.http;

import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallKey;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.mcp.Cancellations;
import dev.assay.frontend.mcp.McpEndpoint;
import dev.assay.frontend.mcp.Message;
import dev.assay.frontend.mcp.MessageReader;
import dev.assay.frontend.mcp.RpcError;
import dev.assay.frontend.watch.Stopwatch;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code /mcp}. Checks go from cheap to dear: host and origin, method, identity, headers, and only
 * then the body.
 *
 * <p>The session id that initialize hands out is kept nowhere. It comes back with every request and
 * tells the clients of one identity apart, so that one cannot cancel the other's call.
 */
final class McpServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Logger log = LoggerFactory.getLogger(McpServlet.class);
  private static final String SESSION = "Mcp-Session-Id";
  private static final String VERSION = "MCP-Protocol-Version";
  private static final Duration MAX_BODY_TIME = Duration.ofSeconds(60);
  private static final Duration MAX_PASSING_OVER = Duration.ofSeconds(2);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final String NO_ROOM =
      "The requests under way take all the memory there is for them. Nothing of yours was started:"
          + " try again in a second";

  private final transient Parts parts;
  private final transient Answers answers;
  private final transient MessageReader reader;
  private final transient Semaphore calls;

  /**
   * What it is made of.
   *
   * @param memory of all requests
   * @param maxRequestBytes of a body
   * @param maxConcurrentCalls tool calls at one time
   * @param heartbeat longest silence of an answer that is not ready
   */
  record Parts(
      RequestGuard guard,
      Identities identities,
      McpEndpoint endpoint,
      Cancellations cancellations,
      CallsInFlight inFlight,
      JsonMapper json,
      RequestMemory memory,
      int maxRequestBytes,
      int maxConcurrentCalls,
      Duration heartbeat) {}

  McpServlet(Parts parts) {
    this.parts = parts;
    this.answers = new Answers(parts.json);
    this.reader = new MessageReader(parts.json);
    this.calls = new Semaphore(parts.maxConcurrentCalls);
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // The servlet container would show the failure.
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      admit(request, response);
    } catch (RuntimeException e) {
      log.error("a request failed", e);
      if (response.isCommitted()) {
        throw e; // Breaks the connection: what was written is no answer.
      }
      response.reset();
      answers.refuse(response, 500, "Something went wrong on our side");
    }
  }

  private void admit(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String origin = request.getHeader("Origin");
    Optional<String> refusal = parts.guard.refusal(request.getHeader("Host"), origin);
    if (refusal.isPresent()) {
      refuse(request, response, 403, refusal.get());
      return;
    }
    response.setHeader("Cache-Control", "no-store");
    if (origin != null) {
      allowBrowser(response, origin);
      if ("OPTIONS".equals(request.getMethod())) {
        response.setStatus(204);
        return;
      }
    }
    if (!"POST".equals(request.getMethod())) {
      response.setHeader("Allow", "POST");
      refuse(request, response, 405, "Use POST: there are neither sessions nor a stream to GET");
      return;
    }
    Optional<Identity> identity = parts.identities.of(Credentials.keyOf(request));
    if (identity.isEmpty()) {
      response.setHeader("WWW-Authenticate", "Bearer realm=\"assay\"");
      refuse(
          request,
          response,
          401,
          "An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY");
      return;
    }
    receive(identity.get(), request, response);
  }

  /**
   * Refuses without having read the body. It is still taken in, as far as one of the right size
   * goes: a connection closed over unread bytes is reset, and the client may never see the answer.
   */
  private void refuse(
      HttpServletRequest request, HttpServletResponse response, int status, String message)
      throws IOException {
    if (request.getHeader("Expect") == null) {
      Stopwatch watch = new Stopwatch();
      byte[] passedOver = new byte[8192];
      InputStream body = request.getInputStream();
      int left = 2 * parts.maxRequestBytes;
      int read = 0;
      while (read >= 0 && left > 0 && watch.left(MAX_PASSING_OVER).isPositive()) {
        read = body.read(passedOver);
        left -= read;
      }
    }
    answers.refuse(response, status, message);
  }

  private static void allowBrowser(HttpServletResponse response, String origin) {
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    response.setHeader("Access-Control-Allow-Methods", "POST");
    response.setHeader(
        "Access-Control-Allow-Headers",
        "Authorization, X-API-Key, Content-Type, Accept, " + SESSION + ", " + VERSION);
    response.setHeader("Access-Control-Expose-Headers", SESSION);
    response.setHeader("Access-Control-Max-Age", "600");
  }

  private void receive(Identity identity, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String contentType = request.getContentType();
    if (contentType == null
        || !contentType
            .split(";", 2)[0]
            .strip()
            .toLowerCase(Locale.ROOT)
            .equals("application/json")) {
      refuse(request, response, 415, "Content-Type must be application/json");
      return;
    }
    Accepts accepts = Accepts.of(request.getHeader("Accept"));
    if (!accepts.json() && !accepts.stream()) {
      refuse(request, response, 406, "Accept must have application/json or text/event-stream");
      return;
    }
    String version = request.getHeader(VERSION);
    if (version != null && !McpEndpoint.VERSIONS.contains(version)) {
      refuse(
          request,
          response,
          400,
          "Unsupported protocol version; supported are " + String.join(", ", McpEndpoint.VERSIONS));
      return;
    }
    String session = request.getHeader(SESSION);
    if (session != null && !session.matches("[A-Za-z0-9_-]{1,64}")) {
      refuse(request, response, 400, SESSION + " is not one that was given out here");
      return;
    }
    try (RequestMemory.Share share = parts.memory.share()) {
      Message message = message(request, response, share);
      if (message != null) {
        take(message, identity, session, accepts, response, share);
      }
    }
  }

  /** What the body says; null where it could not be taken in and the client was told so. */
  private @Nullable Message message(
      HttpServletRequest request, HttpServletResponse response, RequestMemory.Share share)
      throws IOException {
    return switch (RequestBody.of(
        request, new RequestBody.Bounds(parts.maxRequestBytes, MAX_BODY_TIME), share)) {
      case RequestBody.Whole whole -> reader.read(whole.bytes());
      case RequestBody.TooLong tooLong -> {
        refuse(
            request, response, 413, "The body has more than " + parts.maxRequestBytes + " bytes");
        yield null;
      }
      case RequestBody.TooSlow tooSlow -> {
        refuse(
            request,
            response,
            408,
            "The body did not arrive within " + MAX_BODY_TIME.toSeconds() + " s");
        yield null;
      }
      case RequestBody.NoRoom noRoom -> {
        response.setHeader("Retry-After", "1");
        refuse(request, response, TOO_MANY_REQUESTS, NO_ROOM);
        yield null;
      }
    };
  }

  private void take(
      Message message,
      Identity identity,
      @Nullable String session,
      Accepts accepts,
      HttpServletResponse response,
      RequestMemory.Share share)
      throws IOException {
    switch (message) {
      case Message.Malformed malformed ->
          answers.error(response, 400, malformed.id(), malformed.error());
      case Message.Response answer -> response.setStatus(202);
      case Message.Notification notification -> {
        if ("notifications/cancelled".equals(notification.method())) {
          parts.cancellations.cancelled(identity, session, notification.params());
        }
        response.setStatus(202);
      }
      case Message.Request call -> {
        if (share.hold(call.heapBytes())) {
          serve(call, identity, session, accepts, response);
        } else {
          busy(response, call.id(), NO_ROOM);
        }
      }
    }
  }

  private void busy(HttpServletResponse response, Object id, String message) throws IOException {
    response.setHeader("Retry-After", "1");
    answers.error(response, TOO_MANY_REQUESTS, id, new RpcError(RpcError.SERVER, message));
  }

  private void serve(
      Message.Request message,
      Identity identity,
      @Nullable String session,
      Accepts accepts,
      HttpServletResponse response)
      throws IOException {
    CallKey key = new CallKey(identity, session, CallKey.idOf(message.id()));
    if (!"tools/call".equals(message.method())) {
      if ("initialize".equals(message.method())) {
        response.setHeader(SESSION, UUID.randomUUID().toString());
      }
      Object answer =
          parts.endpoint.answer(message, context(key, Progress.NONE, new Cancellation()));
      answers.json(response, 200, answer);
      return;
    }
    if (!calls.tryAcquire()) {
      busy(
          response,
          message.id(),
          parts.maxConcurrentCalls
              + " calls are being worked on, which is the limit. Nothing of yours was started:"
              + " try again in a second");
      return;
    }
    Cancellation cancellation = new Cancellation();
    CallsInFlight.Registration registration = parts.inFlight.register(key, cancellation);
    try {
      call(message, key, cancellation, accepts, response);
    } finally {
      registration.close();
      calls.release();
    }
  }

  private void call(
      Message.Request message,
      CallKey key,
      Cancellation cancellation,
      Accepts accepts,
      HttpServletResponse response)
      throws IOException {
    Object progressToken = message.progressToken();
    boolean stream = accepts.stream() && (progressToken != null || !accepts.json());
    Runnable onDisconnect = () -> cancellation.cancel(Cancellation.Cause.DISCONNECTED);
    if (stream) {
      try (SseStream events =
          new SseStream(response, parts.json, progressToken, parts.heartbeat, onDisconnect)) {
        events.respond(parts.endpoint.answer(message, context(key, events, cancellation)));
      }
    } else {
      try (JsonReply reply = new JsonReply(response, parts.json, parts.heartbeat, onDisconnect)) {
        reply.respond(parts.endpoint.answer(message, context(key, Progress.NONE, cancellation)));
      }
    }
  }

  private static CallContext context(CallKey key, Progress progress, Cancellation cancellation) {
    String known = key.requestId();
    return new CallContext(
        key.identity(),
        known == null ? UUID.randomUUID().toString() : known,
        progress,
        cancellation);
  }
}
