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
  private final ToolReader reader;
  private final ReplyMemory.Part memory;
  private final ListMemory.Part lists;
  private final Changes changes;
  private final Clock clock;
  private final ReentrantLock listing = new ReentrantLock();
  private final Instant opened;
  private volatile @Nullable Listed listed;
  private volatile @Nullable Refused refused;
  private boolean ended;

  /** Whether the server has said that its tools have changed. */
  static final class Changes {
    private volatile boolean changed;

    void set() {
      changed = true;
    }
  }

  /**
   * Reads the definitions of tools that a server lists.
   *
   * @param approved digests of the definitions that are approved
   * @param scrub removes the credential
   */
  record ToolReader(ToolServerSpec spec, Set<String> approved, Scrub scrub) {
    ToolDefinition read(JsonNode tool) throws InvalidListException {
      return ToolDefinition.read(scrub.of(tool), spec.toolRules(), approved);
    }
  }

  private record Listed(ToolListing tools, Instant at) {}

  /** A list that was refused; to read a long one costs as much as to read one that is not. */
  private record Refused(String problem, Instant at) {}

  UpstreamSession(
      McpConnection connection,
      ToolReader reader,
      ReplyMemory.Part memory,
      ListMemory.Part lists,
      Changes changes,
      Clock clock) {
    this.connection = connection;
    this.reader = reader;
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

  /**
   * What the server lists, as it was not long ago.
   *
   * @throws UpstreamException also where the list was refused not long ago
   */
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
      Refused before = refused;
      if (before != null && before.at.plus(MIN_AGE).isAfter(clock.instant())) {
        throw refusal(before.problem);
      }
      changes.changed = false;
      return readAndKeep(deadline);
    } catch (InvalidListException e) {
      String problem = String.valueOf(e.getMessage());
      refused = new Refused(problem, clock.instant());
      throw refusal(problem);
    } finally {
      listing.unlock();
    }
  }

  private static UpstreamException refusal(String problem) {
    return new UpstreamException(
        CallCode.UPSTREAM_UNAVAILABLE, Sent.NO, "The list of tools is refused: " + problem + ".");
  }

  private ToolListing readAndKeep(Instant deadline)
      throws UpstreamException, InterruptedException, InvalidListException {
    // All pages have one, until the list has its place among those that are kept.
    try (ReplyMemory.Share share = memory.share()) {
      return keep(read(share, deadline));
    }
  }

  /** Keeps a list; where there is no memory for it now, it serves the one call that read it. */
  private ToolListing keep(ToolListing read) throws InvalidListException {
    Optional<ToolListing> kept = lists.keep(read);
    if (kept.isEmpty()) {
      // The list before may have what this one needs.
      forget(false);
      kept = lists.keep(read);
    }
    return kept.map(this::have).orElse(read);
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
    return new UpstreamException(
        CallCode.UPSTREAM_UNAVAILABLE,
        Sent.NO,
        "The tool gateway has no memory for the list of tools now: it reads other long responses.");
  }

  private boolean isFresh(Listed known, Duration maxAge) {
    Duration age = Duration.between(known.at, clock.instant());
    return age.compareTo(changes.changed || maxAge.compareTo(MIN_AGE) < 0 ? MIN_AGE : maxAge) < 0;
  }

  private ToolListing read(ReplyMemory.Share share, Instant deadline)
      throws UpstreamException, InterruptedException, InvalidListException {
    ServerLimits limits = reader.spec().serverLimits();
    List<ToolDefinition> tools = new ArrayList<>();
    Set<String> cursors = new HashSet<>();
    long bytes = 0;
    long tokens = 0;
    for (String cursor = ""; cursors.add(cursor); ) {
      if (cursors.size() > MAX_PAGES) {
        throw new InvalidListException("it has more than " + MAX_PAGES + " pages");
      }
      JsonNode page = page(cursor, limits, share, Duration.between(clock.instant(), deadline));
      long pageBytes = Json.MAPPER.writeValueAsBytes(page.path("tools")).length;
      long pageTokens = Json.tokens(page.path("tools"));
      bytes += pageBytes;
      if (bytes > limits.listBytes()) {
        throw tooLong("limits.listBytes", limits.listBytes());
      }
      // Of a page it is limited where it is parsed, and the tools of all pages are kept.
      tokens += pageTokens;
      if (tokens > Json.MAX_TOKENS) {
        throw new InvalidListException("it has more than " + Json.MAX_TOKENS + " tokens of JSON");
      }
      if (!share.keep(ListMemory.weight(pageBytes, pageTokens))) {
        if (share.isTooHeavy()) {
          throw tooHeavy();
        }
        throw noMemory();
      }
      for (JsonNode tool : page.path("tools")) {
        tools.add(reader.read(tool));
        if (tools.size() > limits.tools()) {
          throw tooLong("limits.tools", limits.tools());
        }
      }
      cursor = page.path("nextCursor").asString("");
      if (cursor.isEmpty()) {
        return new ToolListing(
            connection.serverName(),
            connection.serverVersion(),
            ToolList.of(tools, reader.spec().toolRules()));
      }
    }
    throw new InvalidListException("a cursor occurs twice");
  }

  private static UpstreamException notInTime() {
    return new UpstreamException(
        CallCode.UPSTREAM_TIMEOUT, Sent.NO, "The server did not list its tools in time.");
  }

  private static InvalidListException tooLong(String field, int limit) {
    return new InvalidListException("it exceeds " + field + " (" + limit + ") of the tool server");
  }

  private static InvalidListException tooHeavy() {
    return new InvalidListException(
        "it takes more memory than the tool gateway has for one response: raise"
            + " toolGateway.resources");
  }

  private JsonNode page(
      String cursor, ServerLimits limits, ReplyMemory.Share share, Duration timeout)
      throws UpstreamException, InterruptedException, InvalidListException {
    if (timeout.isNegative() || timeout.isZero()) {
      throw notInTime();
    }
    try {
      return connection.request(
          McpSchema.METHOD_TOOLS_LIST,
          cursor.isEmpty() ? Map.of() : Map.of("cursor", cursor),
          new Exchange(limits.listBytes() + PAGE_OVERHEAD, share),
          timeout);
    } catch (UpstreamException e) {
      if (share.isTooHeavy()) {
        throw tooHeavy();
      }
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
