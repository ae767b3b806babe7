package dev.assay.frontend.http;

import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.watch.Stopwatch;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
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

  /** With it, the gateway of tools marks what it sends. */
  private static final String CALL_OF_RUN = "X-Assay-Tool-Call";

  private static final Duration MAX_BODY_TIME = Duration.ofSeconds(60);
  private static final Duration MAX_PASSING_OVER = Duration.ofSeconds(2);

  private final Parts parts;
  private final Browser browser;
  private final Refusal refusal;

  /**
   * What it is made of.
   *
   * @param memory of all requests
   * @param maxRequestBytes of a body
   */
  record Parts(
      RequestGuard guard, Identities identities, RequestMemory memory, int maxRequestBytes) {}

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
      response.setHeader("WWW-Authenticate", "Bearer realm=\"assay\"");
      String location = parts.identities.keyLocation();
      refuse(
          request,
          response,
          401,
          "An API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY"
              + (location.isEmpty() ? "" : "; the key is in " + location));
    }
    return identity.orElse(null);
  }

  /** Whether the code of a run makes a request, through the gateway of tools. */
  static boolean isCallOfRun(HttpServletRequest request) {
    return request.getHeader(CALL_OF_RUN) != null;
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
  static String noMemory(CallerQuota.Decision decision) {
    return (decision == CallerQuota.Decision.OVER_SHARE
            ? "The memory limit for the requests of one caller is exceeded"
            : "The memory limit for requests is exceeded")
        + ". Nothing was started: retry in a second";
  }

  /** The body; null where it could not be taken in. The share holds it. */
  byte @Nullable [] body(
      HttpServletRequest request, HttpServletResponse response, RequestMemory.Share share)
      throws IOException {
    return switch (RequestBody.of(
        request, new RequestBody.Bounds(parts.maxRequestBytes, MAX_BODY_TIME), share)) {
      case RequestBody.Whole whole -> whole.bytes();
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
        refuse(request, response, TOO_MANY_REQUESTS, noMemory(noRoom.why()));
        yield null;
      }
    };
  }

  /**
   * Refuses without having read the body. It is still taken in, as far as one of the right size
   * goes: a connection closed over unread bytes is reset, and the client may never see the answer.
   */
  void refuse(HttpServletRequest request, HttpServletResponse response, int status, String message)
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
    refusal.write(response, status, message);
  }
}
