package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A gateway with replicas that remember their calls, and an upstream server that counts them. What
 * happens on the way is set by the test.
 */
final class FakeGatewayClient implements GatewayClient {
  /** The upstream server. */
  final AtomicInteger upstreamCalls = new AtomicInteger();

  /** What the upstream server answers. */
  volatile Function<GatewayCall, Outcome> upstream =
      call -> Outcome.result(call.args(), "{}".getBytes(UTF_8), 1L);

  /** A place on the way of a call where something may happen. */
  interface Hook {
    void at(String address, GatewayCall call)
        throws NotAcceptedException, IOException, InterruptedException;
  }

  volatile Hook beforeAccepting = (address, call) -> {};
  volatile Hook beforeAnswering = (address, call) -> {};

  /** What it was asked for, in order: address and call. */
  final List<String> asked = new CopyOnWriteArrayList<>();

  /** What was closed: address and run. */
  final List<String> closed = new CopyOnWriteArrayList<>();

  final List<GatewayCall> calls = new CopyOnWriteArrayList<>();

  private final Map<String, Process> processes = new LinkedHashMap<>();

  private record Process(String instance, Map<String, Outcome> kept) {}

  FakeGatewayClient(String... addresses) {
    for (String address : addresses) {
      restart(address);
    }
  }

  /** Another process begins at an address. */
  void restart(String address) {
    synchronized (processes) {
      String instance = address + "-" + (processes.containsKey(address) ? System.nanoTime() : 1);
      processes.put(address, new Process(instance, new ConcurrentHashMap<>()));
    }
  }

  @Override
  public List<String> addresses(String key) {
    synchronized (processes) {
      return new ArrayList<>(processes.keySet());
    }
  }

  private Process at(String address) {
    synchronized (processes) {
      return processes.get(address);
    }
  }

  @Override
  public Replica replica(String address) {
    return new Replica(address, at(address).instance());
  }

  @Override
  public Outcome call(Replica replica, GatewayCall call, Duration atMost)
      throws NotAcceptedException, ReplicaGoneException, IOException, InterruptedException {
    asked.add(replica.address() + " " + call.call());
    beforeAccepting.at(replica.address(), call);
    Process process = at(replica.address());
    if (!process.instance().equals(replica.instance())) {
      throw new ReplicaGoneException();
    }
    Outcome outcome =
        process
            .kept()
            .computeIfAbsent(
                call.runUid() + "/" + call.call() + "/" + call.digest(),
                unused -> {
                  upstreamCalls.incrementAndGet();
                  calls.add(call);
                  return upstream.apply(call);
                });
    beforeAnswering.at(replica.address(), call);
    return outcome;
  }

  @Override
  public void close(String address, String runUid) {
    closed.add(address + " " + runUid);
  }

  /** What each server lists. */
  final Map<String, ListedTools> lists = new ConcurrentHashMap<>();

  /** How many lists were returned and are not closed. */
  final AtomicInteger openLists = new AtomicInteger();

  volatile boolean listsFail;
  volatile Runnable beforeListing = () -> {};
  volatile String listFailure = "UPSTREAM_UNAVAILABLE";
  volatile String listMessage = "no route to crm";

  @Override
  public Listing tools(String address, ObjectMeta server) throws ListFailedException {
    beforeListing.run();
    ListedTools list = lists.get(server.getName());
    if (listsFail || list == null) {
      throw new ListFailedException(listFailure, listMessage);
    }
    openLists.incrementAndGet();
    return new Listing(list, openLists::decrementAndGet);
  }
}
