package dev.assay.gateway.upstream;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.ServerLimits;
import dev.assay.gateway.definition.InvalidListException;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.definition.ToolList;
import dev.assay.gateway.result.Scrub;
import io.modelcontextprotocol.spec.McpSchema;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A session with a server, and the tools that it lists there. */
final class UpstreamSession implements AutoCloseable {
  /** A list is read again after this time, as not every server tells of changes. */
  static final Duration MAX_AGE = Duration.ofMinutes(5);

  /** However often a server says that its tools have changed. */
  static final Duration MIN_AGE = Duration.ofSeconds(30);

  private static final int MAX_PAGES = 64;
  private static final int PAGE_OVERHEAD = 64 << 10;

  private final McpConnection connection;
  private final ToolServerSpec spec;
  private final Scrub scrub;
  private final ReplyMemory.Part memory;
  private final ListMemory.Part lists;
  private final Changes changes;
  private final Clock clock;
  private final ReentrantLock listing = new ReentrantLock();
  private final Instant opened;
  private volatile @Nullable Listed listed;
  private boolean ended;

  /** Whether the server has said that its tools have changed. */
  static final class Changes {
    private volatile boolean changed;

    void set() {
      changed = true;
    }
  }

  private record Listed(ToolListing tools, Instant at) {}

  UpstreamSession(
      McpConnection connection,
      ToolServerSpec spec,
      Scrub scrub,
      ReplyMemory.Part memory,
      ListMemory.Part lists,
      Changes changes,
      Clock clock) {
    this.connection = connection;
    this.spec = spec;
    this.scrub = scrub;
    this.memory = memory;
    this.lists = lists;
    this.changes = changes;
    this.clock = clock;
    this.opened = clock.instant();
  }

  McpConnection connection() {
    return connection;
  }

  /**
   * Whether another one is to be opened. A session that the server may not know is kept for a
   * moment: arguments that it does not understand have the same status, and would cost one each.
   */
  boolean isBroken() {
    return connection.isBroken()
        || (connection.isDoubtful() && opened.plus(MIN_AGE).isBefore(clock.instant()));
  }

  /** Takes no more requests, and is closed once the last one has ended. */
  void retire() {
    forget(true);
    connection.retire();
  }

  /** What the server lists, as it was not long ago. */
  ToolListing tools(Duration maxAge, Duration timeout)
      throws UpstreamException, InterruptedException {
    Listed known = listed;
    if (known != null && isFresh(known, maxAge)) {
      return known.tools;
    }
    Instant deadline = clock.instant().plus(timeout);
    if (!listing.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw notInTime();
    }
    try {
      known = listed;
      if (known != null && isFresh(known, maxAge)) {
        return known.tools;
      }
      changes.changed = false;
      return keep(read(deadline));
    } finally {
      listing.unlock();
    }
  }

  private ToolListing keep(ToolListing read) throws UpstreamException {
    Optional<ToolListing> kept = lists.keep(read);
    if (kept.isEmpty()) {
      // The list before may have what this one needs.
      forget(false);
      kept = lists.keep(read);
    }
    return have(kept.orElseThrow(UpstreamSession::noMemory));
  }

  private synchronized ToolListing have(ToolListing kept) {
    Listed before = listed;
    if (ended) {
      lists.release(kept);
      return kept;
    }
    listed = new Listed(kept, clock.instant());
    if (before != null) {
      lists.release(before.tools);
    }
    return kept;
  }

  /** Gives the list back. */
  private synchronized void forget(boolean atTheEnd) {
    ended |= atTheEnd;
    Listed before = listed;
    listed = null;
    if (before != null) {
      lists.release(before.tools);
    }
  }

  private static UpstreamException noMemory() {
    return UpstreamException.unavailable(
        "There is no memory for the tools that the server lists.",
        "There is no memory for the tools that the server lists: the lists of its other sessions,"
            + " or of other servers of its namespace, have it. Hide tools with tools.deny.");
  }

  private boolean isFresh(Listed known, Duration maxAge) {
    Duration age = Duration.between(known.at, clock.instant());
    return age.compareTo(changes.changed || maxAge.compareTo(MIN_AGE) < 0 ? MIN_AGE : maxAge) < 0;
  }

  private ToolListing read(Instant deadline) throws UpstreamException, InterruptedException {
    ServerLimits limits = spec.serverLimits();
    List<ToolDefinition> tools = new ArrayList<>();
    Set<String> cursors = new HashSet<>();
    long bytes = 0;
    long tokens = 0;
    try {
      for (String cursor = ""; cursors.add(cursor); ) {
        if (cursors.size() > MAX_PAGES) {
          throw new InvalidListException("it has more than " + MAX_PAGES + " pages");
        }
        JsonNode page = page(cursor, limits, Duration.between(clock.instant(), deadline));
        bytes += Json.MAPPER.writeValueAsBytes(page.path("tools")).length;
        if (bytes > limits.listBytes()) {
          throw tooLong("limits.listBytes", limits.listBytes());
        }
        // Of a page it is limited where it is parsed, and the tools of all pages are kept.
        tokens += Json.tokens(page.path("tools"));
        if (tokens > Json.MAX_TOKENS) {
          throw new InvalidListException("it has more than " + Json.MAX_TOKENS + " tokens of JSON");
        }
        for (JsonNode tool : page.path("tools")) {
          tools.add(ToolDefinition.read(scrub.of(tool), spec.toolRules()));
          if (tools.size() > limits.tools()) {
            throw tooLong("limits.tools", limits.tools());
          }
        }
        cursor = page.path("nextCursor").asString("");
        if (cursor.isEmpty()) {
          return new ToolListing(
              connection.serverName(),
              connection.serverVersion(),
              ToolList.of(tools, spec.toolRules()));
        }
      }
      throw new InvalidListException("a cursor occurs twice");
    } catch (InvalidListException e) {
      throw new UpstreamException(
          CallCode.UPSTREAM_UNAVAILABLE,
          Sent.NO,
          "The list of tools is refused: " + e.getMessage() + ".");
    }
  }

  private static UpstreamException notInTime() {
    return new UpstreamException(
        CallCode.UPSTREAM_TIMEOUT, Sent.NO, "The server did not list its tools in time.");
  }

  private static InvalidListException tooLong(String field, int limit) {
    return new InvalidListException("it exceeds " + field + " (" + limit + ") of the tool server");
  }

  private JsonNode page(String cursor, ServerLimits limits, Duration timeout)
      throws UpstreamException, InterruptedException, InvalidListException {
    if (timeout.isNegative() || timeout.isZero()) {
      throw notInTime();
    }
    try (ReplyMemory.Share share = memory.share()) {
      return connection.request(
          McpSchema.METHOD_TOOLS_LIST,
          cursor.isEmpty() ? Map.of() : Map.of("cursor", cursor),
          new Exchange(limits.listBytes() + PAGE_OVERHEAD, share),
          timeout);
    } catch (UpstreamException e) {
      if (e.code() == CallCode.RESULT_TOO_LARGE) {
        throw tooLong("limits.listBytes", limits.listBytes());
      }
      throw e;
    }
  }

  @Override
  public void close() {
    forget(true);
    connection.close();
  }
}
