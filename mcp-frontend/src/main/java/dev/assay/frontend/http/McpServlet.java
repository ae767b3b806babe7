package dev.assay.frontend.http;

import dev.assay.api.logging.LogContext;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.limit.SharedQuota;
import dev.assay.frontend.mcp.Cancellations;
import dev.assay.frontend.mcp.McpEndpoint;
import dev.assay.frontend.mcp.Message;
import dev.assay.frontend.mcp.MessageReader;
import dev.assay.frontend.mcp.RpcError;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
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
  static final String SESSION = "Mcp-Session-Id";
  private static final String VERSION = "MCP-Protocol-Version";

  private static final RpcError UNSUPPORTED_VERSION =
      new RpcError(
          RpcError.SERVER,
          "Unsupported protocol version; supported are " + String.join(", ", McpEndpoint.VERSIONS));

  private final transient Parts parts;
  private final transient Answers answers;
  private final transient Gate gate;
  private final transient MessageReader reader;
  private final transient McpCalls calls;

  /**
   * What it is made of.
   *
   * @param gate of all endpoints
   * @param slots of lasting methods
   * @param offered groups of tools
   * @param heartbeat longest silence of an answer that is not ready
   */
  record Parts(
      Gate.Parts gate,
      McpEndpoint endpoint,
      Cancellations cancellations,
      CallsInFlight inFlight,
      JsonMapper json,
      Slots slots,
      ReplyMemory replies,
      Set<ToolGroup> offered,
      Duration heartbeat) {}

  McpServlet(Parts parts) {
    this.parts = parts;
    this.answers = new Answers(parts.json);
    this.gate =
        new Gate(
            parts.gate,
            new Gate.Browser("POST, DELETE", ", " + SESSION + ", " + VERSION, SESSION),
            answers::refuse);
    this.reader = new MessageReader(parts.json);
    this.calls = new McpCalls(parts, answers);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try (LogContext _ = LogContext.open().trace(Gate.traceId(request))) {
      admitOrFail(request, response);
    }
  }

  /** Within the context of the request, which the line of a failure has, too. */
  @SuppressWarnings("CatchingUnchecked") // The servlet container would show the failure.
  private void admitOrFail(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      admit(request, response);
    } catch (RuntimeException e) {
      log.error("a request failed", e);
      if (response.isCommitted()) {
        throw e; // Breaks the connection: what was written is no answer.
      }
      response.reset();
      answers.refuse(
          response, 500, "Internal error; retry, and check the front end's log if it persists");
    }
  }

  private void admit(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!gate.isOpen(request, response)) {
      return;
    }
    Optional<Set<ToolGroup>> wanted = wantedGroups(request.getPathInfo());
    if (wanted.isEmpty()) {
      gate.refuse(
          request,
          response,
          404,
          "No such endpoint. Use /mcp, or /mcp/ and groups of tools, such as /mcp/datasets,code;"
              + " there are "
              + ToolGroup.names());
      return;
    }
    boolean ends = "DELETE".equals(request.getMethod());
    if (!ends && !"POST".equals(request.getMethod())) {
      response.setHeader("Allow", "POST, DELETE");
      gate.refuse(
          request,
          response,
          405,
          "Use POST, or DELETE to end a session: this endpoint has no GET stream");
      return;
    }
    Identity identity = gate.identity(request, response);
    if (identity != null && ends) {
      end(identity, request, response);
    } else if (identity != null) {
      Set<ToolGroup> groups = new HashSet<>(wanted.get());
      groups.retainAll(parts.offered);
      groups.retainAll(gate.toolGroups(request));
      try (LogContext _ = LogContext.open().caller(identity.caller())) {
        receive(identity, groups, request, response);
      }
    }
  }

  private static Optional<Set<ToolGroup>> wantedGroups(@Nullable String pathInfo) {
    return pathInfo == null || pathInfo.equals("/")
        ? Optional.of(ToolGroup.ALL)
        : ToolGroup.parse(pathInfo.substring(1));
  }

  /** Cancels the calls of a session. Which sessions there are is not known. */
  private void end(Identity identity, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String session = request.getHeader(SESSION);
    if (session == null) {
      gate.refuse(request, response, 400, SESSION + " is missing: it names the session to end");
    } else if (hasValidSession(session, request, response)) {
      parts.cancellations.ended(identity, session);
      response.setStatus(204);
    }
  }

  private boolean hasValidSession(
      @Nullable String session, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    boolean hasValidSession = session == null || session.matches("[A-Za-z0-9_-]{1,64}");
    if (!hasValidSession) {
      gate.refuse(request, response, 400, SESSION + " was not issued by this endpoint");
    }
    return hasValidSession;
  }

  private void receive(
      Identity identity,
      Set<ToolGroup> groups,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    if (!gate.isJson(request, response)) {
      return;
    }
    Accepts accepts = Accepts.of(request.getHeader("Accept"));
    if (!accepts.json() && !accepts.stream()) {
      gate.refuse(
          request,
          response,
          406,
          "The Accept header must include application/json or text/event-stream");
      return;
    }
    String version = request.getHeader(VERSION);
    boolean disconnectCancels = McpEndpoint.disconnectCancels(version);
    String session = request.getHeader(SESSION);
    if (!hasValidSession(session, request, response)) {
      return;
    }
    try (RequestMemory.Share share = gate.share(identity)) {
      Message message = message(request, response, identity, share);
      if (message == null) {
        return;
      }
      if (version != null && !McpEndpoint.VERSIONS.contains(version)) {
        // After the body, which has the id that the client waits for.
        answers.error(response, 400, message.knownId(), UNSUPPORTED_VERSION);
      } else {
        take(
            message,
            new McpCaller(
                identity,
                session,
                accepts,
                disconnectCancels,
                Gate.isCallOfRun(request),
                groups,
                Gate.traceId(request)),
            response,
            share);
      }
    }
  }

  /** The message; null where it could not be taken in. No frame of a long call has its body. */
  private @Nullable Message message(
      HttpServletRequest request,
      HttpServletResponse response,
      Identity identity,
      RequestMemory.Share share)
      throws IOException {
    byte[] body = gate.body(request, response, identity, share);
    return body == null ? null : reader.read(body);
  }

  private void take(
      Message message, McpCaller caller, HttpServletResponse response, RequestMemory.Share share)
      throws IOException {
    switch (message) {
      case Message.Malformed malformed ->
          answers.error(response, 400, malformed.id(), malformed.error());
      case Message.Response answer -> response.setStatus(202);
      case Message.Notification notification -> {
        if ("notifications/cancelled".equals(notification.method())) {
          parts.cancellations.cancelled(caller.identity(), caller.session(), notification.params());
        }
        response.setStatus(202);
      }
      case Message.Request call -> {
        SharedQuota.Decision decision = share.hold(call.heapBytes());
        if (decision == SharedQuota.Decision.GRANTED) {
          calls.serve(call, caller, response, share);
        } else {
          calls.busy(response, call.id(), RefusedBy.REQUEST_MEMORY, Gate.noMemory(decision));
        }
      }
    }
  }
}
