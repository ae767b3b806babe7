package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.address.AddressRules;
import dev.assay.gateway.policy.Approvals;
import dev.assay.gateway.policy.Refusal;
import dev.assay.gateway.policy.ServerPolicy;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** All tool servers, with sessions by the newest version of each. */
public final class Upstreams implements AutoCloseable {
  /** With one server: that of all runs, and those of runs that have one of their own. */
  private static final int MAX_SESSIONS = 256;

  private final CredentialSource credentials;
  private final AddressRules rules;
  private final ReplyMemory memory;
  private final ListMemory lists;
  private final Clock clock;
  private final int maxSessions;
  private final Map<String, UpstreamServer> servers = new ConcurrentHashMap<>();

  /** Connects to nothing yet. */
  public Upstreams(
      CredentialSource credentials,
      AddressRules rules,
      ReplyMemory memory,
      ListMemory lists,
      Clock clock) {
    this(credentials, rules, memory, lists, clock, MAX_SESSIONS);
  }

  Upstreams(
      CredentialSource credentials,
      AddressRules rules,
      ReplyMemory memory,
      ListMemory lists,
      Clock clock,
      int maxSessions) {
    this.credentials = credentials;
    this.rules = rules;
    this.memory = memory;
    this.lists = lists;
    this.clock = clock;
    this.maxSessions = maxSessions;
  }

  /** Something that is done with a server; empty if the server has been replaced before. */
  private interface Use<T> {
    Optional<T> with(UpstreamServer server)
        throws UpstreamException, RefusedCallException, InterruptedException;
  }

  /**
   * Makes a call.
   *
   * @param name the name of the server, for errors
   * @param find finds the server as it is now; empty if there is none of that name
   */
  public ToolReply call(String name, Supplier<Optional<ToolServer>> find, ToolCall call)
      throws UpstreamException, RefusedCallException, InterruptedException {
    Instant deadline = clock.instant().plus(call.timeout());
    while (true) {
      Optional<ToolServer> found = find.get();
      Optional<Refusal> refusal = ServerPolicy.ofServer(name, found.map(ToolServer::getSpec));
      if (refusal.isPresent()) {
        throw new RefusedCallException(refusal.get());
      }
      ToolServer server = found.orElseThrow();
      Optional<ToolReply> reply =
          use(
              server,
              upstream -> {
                BooleanSupplier isCurrent =
                    () -> find.get().filter(now -> isSameVersion(server, now)).isPresent();
                if (!isCurrent.getAsBoolean()) {
                  // It may have been created after the change, so that nothing has retired it.
                  retire(server.getMetadata().getNamespace(), server.getMetadata().getName());
                  return Optional.empty();
                }
                return upstream.call(
                    call, deadline, tool -> Approvals.has(server, tool), isCurrent);
              });
      if (reply.isPresent()) {
        return reply.get();
      }
    }
  }

  /** Makes a call of a server that does not change meanwhile. */
  ToolReply call(String name, Optional<ToolServer> server, ToolCall call)
      throws UpstreamException, RefusedCallException, InterruptedException {
    return call(name, () -> server, call);
  }

  /** What a server lists; one in quarantine too, for review. */
  public ToolListing tools(ToolServer server)
      throws UpstreamException, RefusedCallException, InterruptedException {
    if (server.getSpec().disabled()) {
      throw new RefusedCallException(
          ServerPolicy.ofServer(server.getMetadata().getName(), Optional.of(server.getSpec()))
              .orElseThrow());
    }
    while (true) {
      Optional<ToolListing> listing = use(server, upstream -> Optional.of(upstream.tools()));
      if (listing.isPresent()) {
        return listing.get();
      }
    }
  }

  private <T> Optional<T> use(ToolServer server, Use<T> use)
      throws UpstreamException, RefusedCallException, InterruptedException {
    UpstreamServer upstream = current(server);
    if (!upstream.enter()) {
      return Optional.empty();
    }
    try {
      return use.with(upstream);
    } finally {
      upstream.leave();
    }
  }

  private static boolean isSameVersion(ToolServer server, ToolServer other) {
    ObjectMeta one = server.getMetadata();
    ObjectMeta another = other.getMetadata();
    return Objects.equals(one.getUid(), another.getUid())
        && Objects.equals(one.getGeneration(), another.getGeneration());
  }

  private UpstreamServer current(ToolServer server) throws UpstreamException {
    String name = key(server.getMetadata().getNamespace(), server.getMetadata().getName());
    ServerConnections connections =
        ServerConnections.of(
            server,
            credentials,
            rules,
            Optional.ofNullable(servers.get(name)).map(UpstreamServer::connections));
    return servers.compute(
        name,
        (key, known) -> {
          if (known != null && known.connections().version().equals(connections.version())) {
            return known;
          }
          if (known != null) {
            known.retire();
          }
          return new UpstreamServer(server, connections, memory, lists, clock, maxSessions);
        });
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }

  /** Closes the sessions with a server, when it is changed or deleted. */
  public void retire(String namespace, String name) {
    servers.computeIfPresent(
        key(namespace, name),
        (key, known) -> {
          known.retire();
          return null;
        });
  }

  /** Closes the sessions of a run. */
  public void closeRun(String run) {
    servers.values().forEach(server -> server.closeRun(run));
  }

  @Override
  public void close() {
    servers.values().forEach(UpstreamServer::retire);
    servers.clear();
  }
}
