package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.policy.ErrorCode;
import dev.assay.gateway.policy.Refusal;
import dev.assay.gateway.policy.ServerPolicy;
import dev.assay.gateway.result.CallResult;
import dev.assay.gateway.upstream.UpstreamException.Sent;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/** A tool server by one version of its spec and credential: its sessions, and calls in them. */
final class UpstreamServer {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration LIST_TIMEOUT = Duration.ofSeconds(30);
  private static final String SHARED = "";
  private static final int MAX_SESSIONS = 256;
  private static final int MAX_ERROR_TEXT = 16 << 10;

  /** A server may send a result twice, as text and as structured content. */
  private static final int COPIES = 2;

  private static final int OVERHEAD = 64 << 10;

  private final String name;
  private final ToolServerSpec spec;
  private final ServerConnections connections;
  private final ReplyMemory memory;
  private final Clock clock;
  private final Semaphore concurrentCalls;
  private final Map<String, Slot> sessions = new ConcurrentHashMap<>();
  private boolean retired;
  private int users;

  /** Where one session is, so that it is opened once. */
  private static final class Slot {
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable UpstreamSession session;
  }

  UpstreamServer(
      ToolServer server, ServerConnections connections, ReplyMemory memory, Clock clock) {
    this.name = server.getMetadata().getName();
    this.spec = server.getSpec();
    this.connections = connections;
    this.memory = memory;
    this.clock = clock;
    this.concurrentCalls = new Semaphore(spec.serverLimits().concurrentCalls(), true);
  }

  String version() {
    return connections.version();
  }

  /** Begins to use it; false if it has been replaced. */
  synchronized boolean enter() {
    if (retired) {
      return false;
    }
    users++;
    return true;
  }

  /** Ends a use. */
  void leave() {
    boolean isLast;
    synchronized (this) {
      users--;
      isLast = retired && users == 0;
    }
    if (isLast) {
      closeSessions();
    }
  }

  /** Takes no more calls; its sessions are closed once the last call has ended. */
  void retire() {
    boolean isIdle;
    synchronized (this) {
      retired = true;
      isIdle = users == 0;
    }
    if (isIdle) {
      closeSessions();
    }
  }

  private void closeSessions() {
    sessions.keySet().forEach(this::close);
  }

  /** Closes the session of a run, if it has one of its own. */
  void closeRun(String run) {
    close(run);
  }

  private void close(String key) {
    Slot slot = sessions.remove(key);
    if (slot == null) {
      return;
    }
    slot.opening.lock();
    try {
      if (slot.session != null) {
        slot.session.close();
      }
    } finally {
      slot.opening.unlock();
    }
  }

  /** What the server lists, not older than is reasonable. */
  ToolListing tools() throws UpstreamException, InterruptedException {
    for (boolean isFirst = true; ; isFirst = false) {
      UpstreamSession session = session(SHARED, CONNECT_TIMEOUT);
      try {
        return session.tools(UpstreamSession.MIN_AGE, LIST_TIMEOUT);
      } catch (UpstreamException e) {
        if (!isFirst || !e.isSessionLost()) {
          throw scrubbed(e);
        }
      }
    }
  }

  /**
   * Makes a call.
   *
   * @throws UpstreamException if there is no reply
   * @throws RefusedCallException if it is not sent
   */
  ToolReply call(ToolCall call)
      throws UpstreamException, RefusedCallException, InterruptedException {
    Duration limit = spec.serverLimits().callTimeout();
    Instant deadline =
        clock.instant().plus(call.timeout().compareTo(limit) < 0 ? call.timeout() : limit);
    if (!concurrentCalls.tryAcquire(left(deadline).toMillis(), TimeUnit.MILLISECONDS)) {
      throw new UpstreamException(
          ErrorCode.UPSTREAM_TIMEOUT,
          Sent.no,
          "The call timed out waiting for others to end: "
              + spec.serverLimits().concurrentCalls()
              + " at once are allowed by limits.concurrentCalls of the tool server.");
    }
    try {
      String key = spec.session() == Session.PerRun ? call.run() : SHARED;
      for (boolean isFirst = true; ; isFirst = false) {
        try {
          return call(call, key, deadline);
        } catch (UpstreamException e) {
          if (!isFirst || !e.isSessionLost()) {
            throw scrubbed(e);
          }
        }
      }
    } finally {
      concurrentCalls.release();
    }
  }

  private ToolReply call(ToolCall call, String key, Instant deadline)
      throws UpstreamException, RefusedCallException, InterruptedException {
    UpstreamSession session = session(key, shorter(CONNECT_TIMEOUT, left(deadline)));
    ToolListing listing;
    try {
      listing = session.tools(UpstreamSession.MAX_AGE, shorter(LIST_TIMEOUT, left(deadline)));
    } catch (UpstreamException e) {
      throw e.isSessionLost() ? e : notSent(e);
    }
    Optional<Refusal> refusal =
        ServerPolicy.ofTool(
            name, spec, listing.tools(), call.tool(), call.approved(), call.permissions());
    if (refusal.isPresent()) {
      throw new RefusedCallException(refusal.get());
    }
    ToolDefinition tool = listing.tools().find(call.tool()).orElseThrow();
    Map<String, Object> params = new LinkedHashMap<>();
    params.put("name", call.tool());
    params.put("arguments", new RawValue(call.arguments()));
    params.put("_meta", Map.of("assay.dev/tool-call", true));
    try (ReplyMemory.Share share = memory.share()) {
      JsonNode result =
          session
              .connection()
              .request(
                  McpSchema.METHOD_TOOLS_CALL,
                  params,
                  new Exchange((long) COPIES * call.resultBytes() + OVERHEAD, share),
                  left(deadline));
      return reply(result, call.resultBytes(), tool);
    }
  }

  private ToolReply reply(JsonNode result, int resultBytes, ToolDefinition tool)
      throws UpstreamException {
    CallResult read =
        CallResult.read(connections.scrub().of(result))
            .orElseThrow(
                () ->
                    new UpstreamException(
                        ErrorCode.UPSTREAM_ERROR,
                        Sent.yes,
                        "The server replied with no result of a tool."));
    byte[] value = Json.MAPPER.writeValueAsBytes(read.value());
    if (value.length > resultBytes) {
      throw new UpstreamException(
          ErrorCode.RESULT_TOO_LARGE,
          Sent.yes,
          "The result has " + value.length + " bytes; at most " + resultBytes + " are allowed.");
    }
    byte[] raw = Json.MAPPER.writeValueAsBytes(read.raw());
    if (raw.length > COPIES * (long) resultBytes + OVERHEAD) {
      throw new UpstreamException(
          ErrorCode.RESULT_TOO_LARGE, Sent.yes, "The response of the server is too long.");
    }
    String text = read.text();
    return new ToolReply(
        read.isError(),
        text.length() <= MAX_ERROR_TEXT ? text : text.substring(0, MAX_ERROR_TEXT) + "…",
        value,
        raw,
        tool.dealsWithOpenWorld());
  }

  private UpstreamSession session(String key, Duration timeout)
      throws UpstreamException, InterruptedException {
    if (sessions.size() >= MAX_SESSIONS && !sessions.containsKey(key)) {
      throw new UpstreamException(
          ErrorCode.UPSTREAM_UNAVAILABLE,
          Sent.no,
          "The tool server has "
              + MAX_SESSIONS
              + " sessions, which is the maximum: retry when other runs have ended.");
    }
    Slot slot = sessions.computeIfAbsent(key, k -> new Slot());
    slot.opening.lockInterruptibly();
    try {
      UpstreamSession known = slot.session;
      if (known != null && !known.isBroken()) {
        return known;
      }
      if (known != null) {
        slot.session = null;
        known.close();
      }
      UpstreamSession opened = open(timeout);
      slot.session = opened;
      return opened;
    } finally {
      slot.opening.unlock();
    }
  }

  private UpstreamSession open(Duration timeout) throws UpstreamException, InterruptedException {
    UpstreamSession.Changes changes = new UpstreamSession.Changes();
    try {
      McpConnection connection =
          McpConnection.open(connections.address(), memory, timeout, changes::set);
      return new UpstreamSession(connection, spec, connections.scrub(), memory, changes, clock);
    } catch (UpstreamException e) {
      throw notSent(e);
    }
  }

  /** An error before the call itself. */
  private static UpstreamException notSent(UpstreamException e) {
    ErrorCode code =
        e.code() == ErrorCode.UPSTREAM_TIMEOUT
            ? ErrorCode.UPSTREAM_TIMEOUT
            : ErrorCode.UPSTREAM_UNAVAILABLE;
    return new UpstreamException(code, Sent.no, String.valueOf(e.getMessage()));
  }

  private UpstreamException scrubbed(UpstreamException e) {
    return new UpstreamException(
        e.code(), e.sent(), connections.scrub().of(String.valueOf(e.getMessage())));
  }

  private Duration left(Instant deadline) {
    Duration left = Duration.between(clock.instant(), deadline);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
