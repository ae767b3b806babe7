package dev.assay.gateway.upstream;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.address.GuardedNames;
import dev.assay.gateway.address.RefusedAddressException;
import dev.assay.gateway.upstream.UpstreamHttpClient.HttpStatusException;
import dev.assay.gateway.upstream.UpstreamHttpClient.NoMemoryException;
import dev.assay.gateway.upstream.UpstreamHttpClient.RedirectException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooHeavyException;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import io.modelcontextprotocol.client.transport.InvalidSseMessageEndpointException;
import io.modelcontextprotocol.spec.McpTransportSessionClosedException;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * What a failure of a transport means. Messages are written here: those of the failures may contain
 * what the server replied.
 */
final class UpstreamFailures {
  private UpstreamFailures() {}

  /** A connection ended while calls waited for responses. */
  static final class LostConnectionException extends IOException {
    private static final long serialVersionUID = 1L;

    LostConnectionException(String message) {
      super(message);
    }
  }

  /** A response has ended, and the reply was not in it. */
  static final class NoReplyException extends IOException {
    private static final long serialVersionUID = 1L;

    NoReplyException() {
      super("there was no reply in the response");
    }
  }

  /** Whether the server may no longer know the session, which some report with this status. */
  static boolean isDoubtfulSession(Throwable failure) {
    HttpStatusException status = cause(failure, HttpStatusException.class);
    return status != null && status.isDoubtfulSession();
  }

  /** Whether the session cannot be used anymore. */
  static boolean isLostSession(Throwable failure) {
    HttpStatusException status = cause(failure, HttpStatusException.class);
    return (status != null && status.isLostSession())
        || cause(failure, McpTransportSessionNotFoundException.class) != null
        || cause(failure, McpTransportSessionClosedException.class) != null;
  }

  /**
   * The error of a call.
   *
   * @param host the host of the server
   * @param status the status of the HTTP response; 0 if there was none
   * @param wasSent whether the request has been sent, all of it or a part
   */
  @SuppressWarnings("deprecation") // That of SSE, which is deprecated as a whole.
  static UpstreamException of(String host, Throwable failure, int status, boolean wasSent) {
    Sent sent = wasSent ? Sent.UNKNOWN : Sent.NO;
    if (cause(failure, UnknownHostException.class) != null
        || cause(failure, UnresolvedAddressException.class) != null) {
      return GuardedNames.lastRefusal(host)
          .map(UpstreamFailures::refused)
          .orElseGet(() -> unavailable(sent, "The name of the server cannot be resolved"));
    }
    if (cause(failure, ConnectException.class) != null
        || cause(failure, HttpConnectTimeoutException.class) != null) {
      return unavailable(sent, "The server does not accept connections");
    }
    if (cause(failure, SSLHandshakeException.class) != null) {
      return unavailable(
          sent,
          wasSent
              ? "The server ended the connection with an alert of TLS"
              : "The server has no certificate that is trusted");
    }
    if (cause(failure, InvalidSseMessageEndpointException.class) != null) {
      return unavailable(Sent.NO, "The server names an endpoint of another origin");
    }
    if (cause(failure, RedirectException.class) != null) {
      return error("The server replied with a redirect, which is not followed");
    }
    if (isTooLong(failure)) {
      return new UpstreamException(
          CallCode.RESULT_TOO_LARGE, Sent.YES, "The response of the server is too long.");
    }
    if (cause(failure, TooHeavyException.class) != null) {
      return new UpstreamException(
          CallCode.RESULT_TOO_LARGE,
          Sent.YES,
          "The response of the server takes more memory than the tool gateway has for one response:"
              + " ask the tool for less, or raise toolGateway.resources.");
    }
    if (cause(failure, NoMemoryException.class) != null) {
      return unavailable(
          Sent.YES,
          "The tool gateway had no memory for the response of the server: it reads other long"
              + " responses");
    }
    HttpStatusException replied = cause(failure, HttpStatusException.class);
    if (replied != null) {
      return replied.isLostSession()
          ? UpstreamException.sessionLost(Sent.YES)
          : error("The server replied with HTTP status " + replied.status());
    }
    if (cause(failure, NoReplyException.class) != null) {
      return error("The response of the server has no reply to the call");
    }
    if (status >= 400) {
      return error("The server replied with HTTP status " + status);
    }
    boolean hasStatus = status >= 200;
    boolean isUnreadable = cause(failure, JacksonException.class) != null;
    if (isUnreadable || (hasStatus && !isLostConnection(failure))) {
      return error("The response of the server is no message of MCP");
    }
    return unavailable(
        hasStatus ? Sent.YES : Sent.UNKNOWN, "The connection to the server was lost");
  }

  private static boolean isLostConnection(Throwable failure) {
    return cause(failure, EOFException.class) != null
        || cause(failure, SocketException.class) != null;
  }

  private static UpstreamException refused(RefusedAddressException refusal) {
    return UpstreamException.unavailable(
        "The server has an address that is refused.",
        "The server has an address that is refused: " + refusal.getMessage() + ".");
  }

  private static boolean isTooLong(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      // That of the SDK is not public.
      if (at instanceof TooLongException
          || at.getClass().getSimpleName().equals("MaxSizeExceededException")) {
        return true;
      }
    }
    return false;
  }

  private static UpstreamException unavailable(Sent sent, String message) {
    return new UpstreamException(CallCode.UPSTREAM_UNAVAILABLE, sent, message + ".");
  }

  private static UpstreamException error(String message) {
    return new UpstreamException(CallCode.UPSTREAM_ERROR, Sent.YES, message + ".");
  }

  private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return type.cast(at);
      }
    }
    return null;
  }
}
