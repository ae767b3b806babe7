package dev.assay.gateway.upstream;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.policy.Approvals;
import dev.assay.gateway.policy.Refusal;
import dev.assay.gateway.policy.ServerPolicy;
import dev.assay.gateway.result.CallResult;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/** A tool server by one version of its spec and credential: its sessions, and calls in them. */
final class UpstreamServer {
  /** For a session. Longer than a connection may take, so that the latter's failure is reported. */
  private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(15);

  private static final Duration LIST_TIMEOUT = Duration.ofSeconds(30);
  private static final String SHARED = "";

  /** After which the session of a run is closed, should nobody say that the run has ended. */
  private static final Duration MAX_IDLE = Duration.ofMinutes(30);

  private static final int MAX_ERROR_TEXT = 16 << 10;

  /** A server may send a result twice, as text and as structured content. */
  private static final int COPIES = 2;

  private static final int OVERHEAD = 64 << 10;

  private final String name;
  private final ToolServerSpec spec;
  private final Set<String> approved;
  private final ServerConnections connections;
  private final ReplyMemory.Part memory;
  private final ListMemory.Part lists;
  private final Clock clock;
  private final int maxSessions;
  private final Semaphore concurrentCalls;
  private final Map<String, Slot> sessions = new ConcurrentHashMap<>();
  private boolean retired;
  private int users;

  /** Where one session is, so that it is opened once. */
  private static final class Slot {
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable UpstreamSession session;
    private int users;
    private Instant used = Instant.MIN;

    synchronized void begin(Instant now) {
      users++;
      used = now;
    }

    synchronized void end(Instant now) {
      users--;
      used = now;
    }

    synchronized boolean isIdleSince(Instant then) {
      return users == 0 && used.isBefore(then);
    }

    /** Whether no session could be opened, and nobody tries to. */
    synchronized boolean isEmpty() {
      return users == 0 && session == null;
    }
  }

  UpstreamServer(
      ToolServer server,
      ServerConnections connections,
      ReplyMemory memory,
      ListMemory lists,
      Clock clock,
      int maxSessions) {
    this.name = server.getMetadata().getName();
    this.spec = server.getSpec();
    this.approved = Approvals.digests(server);
    this.connections = connections;
    this.memory = memory.part(server.getMetadata().getNamespace());
    this.lists = lists.part(server.getMetadata().getNamespace());
    this.clock = clock;
    this.maxSessions = maxSessions;
    this.concurrentCalls = new Semaphore(spec.serverLimits().concurrentCalls(), true);
  }

  ServerConnections connections() {
    return connections;
  }

  private synchronized boolean isRetired() {
    return retired;
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
    closeIdle();
  }

  private void closeIdle() {
    Instant then = clock.instant().minus(MAX_IDLE);
    for (String key : sessions.keySet()) {
      if (!key.equals(SHARED)) {
        close(key, slot -> slot.isIdleSince(then));
      }
    }
  }

  private void close(String key) {
    close(key, slot -> true);
  }

  /** Closes a session for which a condition holds; no call begins to use it meanwhile. */
  private void close(String key, Predicate<Slot> condition) {
    AtomicReference<@Nullable Slot> removed = new AtomicReference<>();
    sessions.computeIfPresent(
        key,
        (k, slot) -> {
          if (!condition.test(slot)) {
            return slot;
          }
          removed.set(slot);
          return null;
        });
    Slot slot = removed.get();
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
    closeIdle();
    for (boolean isFirst = true; ; isFirst = false) {
      UpstreamSession session = session(SHARED, OPEN_TIMEOUT);
      try {
        return session.tools(UpstreamSession.MIN_AGE, LIST_TIMEOUT);
      } catch (UpstreamException e) {
        if (!isFirst || !e.isSessionLost()) {
          throw e.beforeTheCall();
        }
      }
    }
  }

  /**
   * Makes a call.
   *
   * @param end until when it has to end
   * @param named the tools that an error may name
   * @param isCurrent whether the server has not been changed; asked right before the call is sent
   * @return empty if nothing was sent, as the server has been replaced while the call waited
   * @throws UpstreamException if there is no reply
   * @throws RefusedCallException if it is not sent
   */
  Optional<ToolReply> call(
      ToolCall call, Instant end, Predicate<ToolDefinition> named, BooleanSupplier isCurrent)
      throws UpstreamException, RefusedCallException, InterruptedException {
    Instant limit = clock.instant().plus(spec.serverLimits().callTimeout());
    Instant deadline = end.isBefore(limit) ? end : limit;
    if (!concurrentCalls.tryAcquire(left(deadline).toMillis(), TimeUnit.MILLISECONDS)) {
      throw new UpstreamException(
          CallCode.UPSTREAM_TIMEOUT,
          Sent.NO,
          "The call timed out waiting for others to end: "
              + spec.serverLimits().concurrentCalls()
              + " at once are allowed by limits.concurrentCalls of the tool server.");
    }
    try {
      if (isRetired()) {
        return Optional.empty();
      }
      String key = spec.session() == Session.PerRun ? call.run() : SHARED;
      Slot slot = begin(key);
      try {
        return call(call, key, deadline, named, isCurrent);
      } finally {
        slot.end(clock.instant());
        if (!key.equals(SHARED)) {
          close(key, Slot::isEmpty);
        }
      }
    } finally {
      concurrentCalls.release();
    }
  }

  private Optional<ToolReply> call(
      ToolCall call,
      String key,
      Instant deadline,
      Predicate<ToolDefinition> named,
      BooleanSupplier isCurrent)
      throws UpstreamException, RefusedCallException, InterruptedException {
    for (boolean isFirst = true; ; isFirst = false) {
      try {
        UpstreamSession session = session(key, shorter(OPEN_TIMEOUT, left(deadline)));
        ToolDefinition tool = tool(call, session, isFirst, deadline, named);
        return isCurrent.getAsBoolean()
            ? Optional.of(call(call, session, tool, deadline))
            : Optional.empty();
      } catch (UpstreamException e) {
        if (!isFirst || !e.isSessionLost()) {
          throw scrubbed(e);
        }
      }
    }
  }

  private static ToolListing listing(UpstreamSession session, Duration timeout, boolean isFirst)
      throws UpstreamException, InterruptedException {
    try {
      return session.tools(UpstreamSession.MAX_AGE, timeout);
    } catch (UpstreamException e) {
      throw isFirst && e.isSessionLost() ? e : e.beforeTheCall();
    }
  }

  /** The tool that is called. The list, which the session may not keep, is needed for no more. */
  private ToolDefinition tool(
      ToolCall call,
      UpstreamSession session,
      boolean isFirst,
      Instant deadline,
      Predicate<ToolDefinition> named)
      throws UpstreamException, RefusedCallException, InterruptedException {
    ToolListing listing = listing(session, shorter(LIST_TIMEOUT, left(deadline)), isFirst);
    Optional<Refusal> refusal =
        ServerPolicy.ofTool(
            name, spec, listing.tools(), call.tool(), call.approved(), call.permissions(), named);
    if (refusal.isPresent()) {
      throw new RefusedCallException(refusal.get());
    }
    return listing.tools().find(call.tool()).orElseThrow();
  }

  private ToolReply call(
      ToolCall call, UpstreamSession session, ToolDefinition tool, Instant deadline)
      throws UpstreamException, InterruptedException {
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
                        CallCode.UPSTREAM_ERROR,
                        Sent.YES,
                        "The server replied with no result of a tool."));
    // A text that is JSON may have had a credential in an encoding that only its parser knows.
    byte[] value = Json.MAPPER.writeValueAsBytes(connections.scrub().of(read.value()));
    if (value.length > resultBytes) {
      throw new UpstreamException(
          CallCode.RESULT_TOO_LARGE,
          Sent.YES,
          "The result has " + value.length + " bytes; at most " + resultBytes + " are allowed.");
    }
    byte[] raw = Json.MAPPER.writeValueAsBytes(read.raw());
    if (raw.length > COPIES * (long) resultBytes + OVERHEAD) {
      throw new UpstreamException(
          CallCode.RESULT_TOO_LARGE, Sent.YES, "The response of the server is too long.");
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
    Instant deadline = clock.instant().plus(timeout);
    Slot slot = slot(key);
    if (!slot.opening.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new UpstreamException(
          CallCode.UPSTREAM_TIMEOUT, Sent.NO, "The server did not open a session in time.");
    }
    try {
      UpstreamSession known = slot.session;
      if (known != null && !known.isBroken()) {
        return known;
      }
      if (known != null) {
        slot.session = null;
        known.retire();
      }
      UpstreamSession opened = open(left(deadline));
      slot.session = opened;
      return opened;
    } finally {
      slot.opening.unlock();
    }
  }

  private Slot slot(String key) throws UpstreamException {
    makeRoom(key);
    return sessions.computeIfAbsent(key, k -> new Slot());
  }

  /** Begins to use a slot, in the one step in which it is found: it is not idle in between. */
  private Slot begin(String key) throws UpstreamException {
    makeRoom(key);
    Instant now = clock.instant();
    return sessions.compute(
        key,
        (k, known) -> {
          Slot slot = known == null ? new Slot() : known;
          slot.begin(now);
          return slot;
        });
  }

  private void makeRoom(String key) throws UpstreamException {
    if (sessions.size() >= maxSessions && !sessions.containsKey(key)) {
      closeIdle();
      if (sessions.size() >= maxSessions) {
        throw new UpstreamException(
            CallCode.UPSTREAM_UNAVAILABLE,
            Sent.NO,
            "The tool gateway has "
                + maxSessions
                + " sessions with the tool server, and opens no more: repeat the call when another"
                + " run has ended.");
      }
    }
  }

  private UpstreamSession open(Duration timeout) throws UpstreamException, InterruptedException {
    UpstreamSession.Changes changes = new UpstreamSession.Changes();
    try {
      McpConnection connection =
          McpConnection.open(
              connections.address(), connections.scrub(), memory, timeout, changes::set);
      return new UpstreamSession(
          connection,
          new UpstreamSession.ToolReader(spec, approved, connections.scrub()),
          memory,
          lists,
          changes,
          clock);
    } catch (UpstreamException e) {
      throw e.beforeTheCall();
    }
  }

  private UpstreamException scrubbed(UpstreamException e) {
    if (e.sent() == Sent.NO) {
      // It has nothing of what the server sent.
      return e;
    }
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
