package dev.assay.frontend.http;

import dev.assay.api.logging.TraceId;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * The checks of every endpoint: host and origin, the key, and the body. A request that does not
 * pass has been answered.
 */
final class Gate {
  static final int TOO_MANY_REQUESTS = 429;

  /** Why the code of a run cannot create runs, which would call it back. */
  static final String NO_RUN_BY_RUN =
      "The code of a run cannot create runs through call_tool: do it in the run itself, or have the"
          + " caller make both calls";

  private static final String RETRY = ". Nothing was started: retry in a second";

  /** With it, the tool gateway marks what it sends. */
  private static final String CALL_OF_RUN = "X-Assay-Tool-Call";

  private final Parts parts;
  private final Browser browser;
  private final Refusal refusal;

  /**
   * What it is made of.
   *
   * @param memory of all requests
   * @param limits of callers and addresses
   * @param connections has to know which of them serve a caller
   * @param metrics counts what limits refuse
   * @param body bounds of a body
   */
  record Parts(
      RequestGuard guard,
      Identities identities,
      RequestMemory memory,
      RequestLimits limits,
      ConnectionLimits connections,
      EndpointMetrics metrics,
      RequestBody.Bounds body) {}

  /**
   * What a browser of an allowed origin may do.
   *
   * @param methods it may use
   * @param requestHeaders it may send, beside those of the key and the content
   * @param responseHeaders it may read, beside those that every browser shows
   */
  record Browser(String methods, String requestHeaders, String responseHeaders) {}

  /** Writes a refusal in the words of its endpoint. */
  interface Refusal {
    void write(HttpServletResponse response, int status, String message) throws IOException;
  }

  Gate(Parts parts, Browser browser, Refusal refusal) {
    this.parts = parts;
    this.browser = browser;
    this.refusal = refusal;
  }

  /** Whether host and origin are allowed, and there is something to do still. */
  boolean isOpen(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String origin = request.getHeader("Origin");
    Optional<String> closed = parts.guard.refusal(request.getHeader("Host"), origin);
    if (closed.isPresent()) {
      refuse(request, response, 403, closed.get());
      return false;
    }
    response.setHeader("Cache-Control", "no-store");
    if (origin != null) {
      allowBrowser(response, origin);
      if ("OPTIONS".equals(request.getMethod())) {
        response.setStatus(204);
        return false;
      }
    }
    return true;
  }

  private void allowBrowser(HttpServletResponse response, String origin) {
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    response.setHeader("Access-Control-Allow-Methods", browser.methods);
    response.setHeader(
        "Access-Control-Allow-Headers",
        "Authorization, X-API-Key, Content-Type, Accept" + browser.requestHeaders);
    response.setHeader("Access-Control-Expose-Headers", browser.responseHeaders);
    response.setHeader("Access-Control-Max-Age", "600");
  }

  /** The caller; null where the request was refused. */
  @Nullable Identity identity(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Optional<Identity> identity = parts.identities.of(Credentials.keyOf(request));
    if (identity.isEmpty()) {
      refuseWithoutKey(request, response);
      return null;
    }
    if (!parts.limits.takeRequest(identity.get())) {
      tooMany(
          request,
          response,
          RefusedBy.REQUEST_RATE,
          "The rate limit for one caller is exceeded"
              + " (frontend.limits.maxRequestsPerSecondPerCaller)"
              + RETRY);
      return null;
    }
    return serve(identity.get(), request, response) ? identity.get() : null;
  }

  /** Whether a request of a caller may be in progress, which it then is until it is completed. */
  private boolean serve(Identity caller, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!parts.limits.takeInProgress(caller)) {
      tooMany(
          request,
          response,
          RefusedBy.REQUESTS_IN_PROGRESS,
          "The maximum number of requests in progress for one caller is reached" + RETRY);
      return false;
    }
    Request.addCompletionListener(
        ServletContextRequest.getServletContextRequest(request),
        failure -> parts.limits.giveInProgress(caller));
    EndPoint connection = Connections.of(request);
    boolean marked = parts.connections.markServing(connection);
    if (!marked) {
      // It was evicted to make room: nothing must be started, and no response be sent.
      connection.close();
    }
    return marked;
  }

  private void refuseWithoutKey(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!parts.limits.takeUnauthorized(request.getRemoteAddr())) {
      tooMany(
          request,
          response,
          RefusedBy.UNAUTHORIZED_RATE,
          "Too many requests from your address have no valid API key. Requests with a valid key are"
              + " not affected");
      return;
    }
    response.setHeader("WWW-Authenticate", "Bearer realm=\"assay\"");
    String location = parts.identities.keyLocation();
    refuse(
        request,
        response,
        401,
        "An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY"
            + (location.isEmpty() ? "" : "; the key is in " + location));
  }

  /** Whether the code of a run makes a request, through the tool gateway. */
  static boolean isCallOfRun(HttpServletRequest request) {
    return request.getHeader(CALL_OF_RUN) != null;
  }

  /** The trace that a request is part of: a new one, unless it brings one. */
  static String traceId(HttpServletRequest request) {
    if (request.getAttribute(TraceId.HEADER) instanceof String known) {
      return known;
    }
    String traceId = TraceId.ofParentOrNew(request.getHeader(TraceId.HEADER));
    request.setAttribute(TraceId.HEADER, traceId);
    return traceId;
  }

  /** The tools that the key of a request is for. */
  Set<ToolGroup> toolGroups(HttpServletRequest request) {
    return parts.identities.toolGroups(Credentials.keyOf(request));
  }

  /** Whether the body is said to be JSON. */
  boolean isJson(HttpServletRequest request, HttpServletResponse response) throws IOException {
    boolean json = ContentType.of(request).mediaType().equals("application/json");
    if (!json) {
      refuse(request, response, 415, "Content-Type must be application/json");
    }
    return json;
  }

  /** The memory of one request, none of which is taken yet. */
  RequestMemory.Share share(Identity identity) {
    return parts.memory.share(identity);
  }

  /** Why there is no memory for a request. */
  static String noMemory(SharedQuota.Decision decision) {
    return (decision == SharedQuota.Decision.OVER_SHARE
            ? "The memory limit for the requests of one caller is exceeded"
            : "The memory limit for requests is exceeded")
        + RETRY;
  }

  /** Refuses a request that exceeds a limit for a moment, before its body is read. */
  void tooMany(
      HttpServletRequest request, HttpServletResponse response, RefusedBy limit, String message)
      throws IOException {
    parts.metrics.refused(limit);
    response.setHeader("Retry-After", "1");
    refuse(request, response, TOO_MANY_REQUESTS, message);
  }

  /** The body; null where it could not be taken in. The share holds it. */
  byte @Nullable [] body(
      HttpServletRequest request,
      HttpServletResponse response,
      Identity identity,
      RequestMemory.Share share)
      throws IOException {
    SharedQuota.Decision decision = parts.limits.takeBody(identity);
    if (decision != SharedQuota.Decision.GRANTED) {
      tooMany(
          request,
          response,
          RefusedBy.BODIES,
          "The maximum number of request bodies in transit"
              + (decision == SharedQuota.Decision.OVER_SHARE ? " for one caller" : "")
              + " is reached"
              + RETRY);
      return null;
    }
    RequestBody body;
    try {
      body = RequestBody.of(request, parts.body, share);
    } finally {
      parts.limits.giveBody(identity);
    }
    return switch (body) {
      case RequestBody.Whole whole -> whole.bytes();
      case RequestBody.TooLong tooLong -> {
        refuse(request, response, 413, "The body has more than " + parts.body.bytes() + " bytes");
        yield null;
      }
      case RequestBody.TooSlow tooSlow -> {
        refuse(
            request,
            response,
            408,
            "The body did not arrive in time: it may stop for 10 s at most, and take 10 s, and a"
                + " second more for each 256 KiB that has arrived, up to 60 s");
        yield null;
      }
      case RequestBody.NoRoom noRoom -> {
        tooMany(request, response, RefusedBy.REQUEST_MEMORY, noMemory(noRoom.why()));
        yield null;
      }
    };
  }

  /**
   * Refuses without having read the body, and closes the connection. First, some of what the client
   * still sends is discarded, without a thread: a connection that is closed over unread bytes is
   * reset, and the client may never see the answer.
   */
  void refuse(HttpServletRequest request, HttpServletResponse response, int status, String message)
      throws IOException {
    refusal.write(response, status, message);
    String address = request.getRemoteAddr();
    if (hasBody(request) && parts.limits.takeDrain(address)) {
      response.flushBuffer();
      DiscardedBody.discard(
          request, 2L * parts.body.bytes(), () -> parts.limits.giveDrain(address));
    }
  }

  /** Whether the client sends a body without being asked to continue. */
  private static boolean hasBody(HttpServletRequest request) {
    return request.getHeader("Expect") == null
        && (request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null);
  }
}
