package dev.assay.operator.tool;

import static java.util.Objects.requireNonNull;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec.ApprovedTool;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.output.DefinitionLimitException;
import dev.assay.operator.output.DefinitionStore;
import dev.assay.operator.tool.GatewayClient.ListFailedException;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what is known of each tool server: asks the gateway for its tools, decides which are
 * approved, stores their definitions, and writes its status when that has changed.
 */
@ControllerConfiguration(name = "toolserver", generationAwareEventProcessing = false)
public final class ToolServerReconciler implements Reconciler<ToolServer>, ToolServers {
  private static final Logger LOG = LoggerFactory.getLogger(ToolServerReconciler.class);

  /** How often a server that lists its tools is asked again. */
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  private static final Duration RETRY = Duration.ofSeconds(30);

  /** While the gateway is not found, or does not know the server at its generation yet. */
  private static final Duration FIRST_RETRY = Duration.ofSeconds(2);

  /** After a change of a server, which the gateway may see later than this process. */
  private static final Duration SETTLING = Duration.ofSeconds(5);

  /** How often calls may cause a server to be asked again. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final String DEFINITION_LIMIT = "DefinitionLimitExceeded";

  private final GatewayClient gateway;
  private final DefinitionStore definitions;
  private final StatusWriter<ToolServerStatus, ToolServer> statuses;
  private final EventRecorder events;
  private final Clock clock;
  private final SimpleInboundEventSource<ToolServer> again = new SimpleInboundEventSource<>();

  /** Servers of which something else was found since they began to be asked. */
  private final Set<ResourceID> outdated = ConcurrentHashMap.newKeySet();

  /** Servers for whose definitions there may be no room: they are asked again once there is. */
  private final Set<ResourceID> withoutRoom = ConcurrentHashMap.newKeySet();

  /** When each server was listed, and at which generation: other changes of it are its status. */
  private final Map<ResourceID, Asked> asked = new ConcurrentHashMap<>();

  /** The digests of the last list of each server. */
  private final Map<ResourceID, Set<String>> listed = new ConcurrentHashMap<>();

  private volatile @Nullable IndexerResourceCache<ToolServer> servers;

  private record Asked(String uid, @Nullable Long generation, Instant at, Instant next) {
    private Asked nextAt(Instant time) {
      return new Asked(uid, generation, at, time);
    }
  }

  ToolServerReconciler(
      KubernetesClient client,
      GatewayClient gateway,
      DefinitionStore definitions,
      EventRecorder events,
      Clock clock) {
    this.gateway = gateway;
    this.definitions = definitions;
    this.statuses = new StatusWriter<>(client, ToolServer.class);
    this.events = events;
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, ToolServer>> prepareEventSources(
      EventSourceContext<ToolServer> context) {
    servers = context.getPrimaryCache();
    return List.of(again);
  }

  @Override
  public Optional<ToolServer> find(String namespace, String name) {
    IndexerResourceCache<ToolServer> cache = servers;
    return cache == null ? Optional.empty() : cache.get(new ResourceID(name, namespace));
  }

  @Override
  public void lookAgain(String namespace, String name) {
    lookAgain(new ResourceID(name, namespace));
  }

  private void lookAgain(ResourceID id) {
    outdated.add(id);
    Asked before = asked.get(id);
    if (before == null) {
      return;
    }
    Instant soonest = before.at().plus(LOOK_AGAIN);
    if (soonest.isBefore(before.next()) && asked.replace(id, before, before.nextAt(soonest))) {
      again.propagateEvent(id);
    }
  }

  @Override
  public UpdateControl<ToolServer> reconcile(ToolServer server, Context<ToolServer> context)
      throws InterruptedException {
    return UpdateControl.<ToolServer>noUpdate().rescheduleAfter(reconcile(server));
  }

  /** Returns when the server is to be asked again. */
  Duration reconcile(ToolServer server) throws InterruptedException {
    ResourceID id = ResourceID.fromResource(server);
    if (NewerObjects.isNewer(server)) {
      return INTERVAL;
    }
    if (server.getSpec().disabled()) {
      asked.remove(id);
      write(server, current -> ToolServerStates.disabled(current, clock.instant()));
      return INTERVAL;
    }
    Instant now = clock.instant();
    Asked before = asked.get(id);
    if (before != null && isCurrent(before, server) && now.isBefore(before.next())) {
      return Duration.between(now, before.next());
    }
    outdated.remove(id);
    Duration next = ask(server);
    if (before == null || !isCurrent(before, server)) {
      next = shorter(next, SETTLING);
    }
    Instant at = clock.instant();
    Asked after =
        new Asked(
            server.getMetadata().getUid(), server.getMetadata().getGeneration(), at, at.plus(next));
    asked.put(id, after);
    if (outdated.contains(id)) {
      next = shorter(next, LOOK_AGAIN);
      boolean unused = asked.replace(id, after, after.nextAt(at.plus(next)));
    }
    return next;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean isCurrent(Asked asked, ToolServer server) {
    return asked.uid().equals(server.getMetadata().getUid())
        && requireNonNull(server.getMetadata().getGeneration()).equals(asked.generation());
  }

  private Duration ask(ToolServer server) throws InterruptedException {
    ResourceID id = ResourceID.fromResource(server);
    String namespace = server.getMetadata().getNamespace();
    List<String> addresses = gateway.addresses(server.getMetadata().getUid());
    try {
      if (addresses.isEmpty()) {
        throw new ListFailedException(
            CallCode.UPSTREAM_UNAVAILABLE.name(), "The tool gateway has no replica");
      }
      // Open until it is stored: many servers are asked at once, and each list may be long.
      try (GatewayClient.Listing listing =
          gateway.tools(addresses.getFirst(), server.getMetadata())) {
        // Before, so that room that there is from now on is told.
        withoutRoom.add(id);
        keep(server, listing.tools());
      }
      withoutRoom.remove(id);
      removeDefinitions(namespace);
      return INTERVAL;
    } catch (ListFailedException e) {
      if (e.code().equals(CallCode.SERVER_NOT_FOUND.name())) {
        return FIRST_RETRY;
      }
      write(server, current -> ToolServerStates.unavailable(current, e, clock.instant()));
      return addresses.isEmpty() ? FIRST_RETRY : RETRY;
    } catch (DefinitionLimitException e) {
      ListFailedException failure = new ListFailedException(DEFINITION_LIMIT, e.problem());
      write(server, current -> ToolServerStates.unavailable(current, failure, clock.instant()));
      return INTERVAL;
    } catch (IOException e) {
      LOG.warn(
          "The tools of {} in namespace {} cannot be stored: {}",
          server.getMetadata().getName(),
          namespace,
          e.toString());
      return RETRY;
    }
  }

  private void keep(ToolServer server, ListedTools list) throws IOException {
    String namespace = server.getMetadata().getNamespace();
    listed.put(
        ResourceID.fromResource(server),
        list.tools().stream()
            .map(ListedTools.Definition::digest)
            .collect(Collectors.toUnmodifiableSet()));
    // Before the status names them, so that whoever reads the status finds them.
    definitions.putDefinitions(
        namespace,
        list.tools().stream()
            .collect(
                Collectors.toMap(
                    ListedTools.Definition::digest,
                    ListedTools.Definition::json,
                    (first, same) -> first)));
    write(server, current -> ToolServerStates.listed(current, list, clock.instant()));
  }

  private void write(
      ToolServer server, Function<ToolServer, Optional<ToolServerStatus>> transition) {
    ToolServerPhase before = server.getStatus() == null ? null : server.getStatus().phase();
    statuses
        .update(server, transition)
        .map(ToolServer::getStatus)
        .filter(after -> after.phase() != before)
        .ifPresent(after -> record(server, after));
  }

  private void record(ToolServer server, ToolServerStatus status) {
    ToolServerPhase phase = requireNonNull(status.phase());
    String message = status.message() == null ? "" : status.message();
    if (phase == ToolServerPhase.Unavailable) {
      events.warning(server, phase.name(), message);
    } else {
      events.normal(server, phase.name(), message);
    }
  }

  /**
   * Removes the definitions that no tool server of the namespace has anymore.
   *
   * @throws IOException if they cannot be removed now
   */
  void removeDefinitions(String namespace) throws IOException {
    IndexerResourceCache<ToolServer> cache = servers;
    if (cache != null) {
      removeDefinitions(namespace, cache.list(namespace).toList());
    }
  }

  /**
   * Removes definitions.
   *
   * @param known the tool servers of the namespace
   */
  void removeDefinitions(String namespace, List<ToolServer> known) throws IOException {
    // First: what is stored meanwhile is not removed.
    Set<String> stored = definitions.definitions(namespace);
    Set<ResourceID> ids =
        known.stream().map(ResourceID::fromResource).collect(Collectors.toUnmodifiableSet());
    for (Set<ResourceID> kept : List.of(listed.keySet(), asked.keySet(), outdated, withoutRoom)) {
      kept.removeIf(id -> isIn(namespace, id) && !ids.contains(id));
    }
    Set<String> needed = new HashSet<>();
    // Of servers whose status the cache does not show yet, too.
    listed.forEach(
        (id, digests) -> {
          if (isIn(namespace, id)) {
            needed.addAll(digests);
          }
        });
    known.forEach(server -> digests(server).forEach(needed::add));
    boolean isRoomier = false;
    for (String digest : stored) {
      if (!needed.contains(digest)) {
        definitions.deleteDefinition(namespace, digest);
        isRoomier = true;
      }
    }
    if (isRoomier) {
      withoutRoom.stream().filter(id -> isIn(namespace, id)).forEach(this::lookAgain);
    }
  }

  private static boolean isIn(String namespace, ResourceID id) {
    return id.getNamespace().filter(namespace::equals).isPresent();
  }

  private static Stream<String> digests(ToolServer server) {
    Stream<String> listed =
        server.getStatus() == null
            ? Stream.of()
            : server.getStatus().toolList().stream().flatMap(ToolServerReconciler::digests);
    return Stream.concat(
        listed, server.getSpec().approvedList().stream().map(ApprovedTool::digest));
  }

  private static Stream<String> digests(ToolState tool) {
    return Stream.of(tool.digest(), tool.approvedDigest(), tool.baselineDigest())
        .flatMap(Stream::ofNullable);
  }
}
