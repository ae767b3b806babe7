package dev.assay.operator.egress;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.pod.EgressAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address that run Pods must be refused at. Its name is resolved here, since run Pods have no
 * DNS, and again and again, since a Service that is created anew has another address. Of several
 * addresses, one is used as long as the name has it.
 */
public final class EgressTarget implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EgressTarget.class);
  private static final long INTERVAL_SECONDS = 10;

  /** How many addresses are known: Pods that still wait were told one of the last. */
  private static final int MAX_KNOWN = 8;

  /** Finds the IP addresses of a host. */
  @FunctionalInterface
  interface Resolver {
    List<String> resolve(String host) throws UnknownHostException;
  }

  private final @Nullable EgressCheckConfig config;
  private final Resolver resolver;

  /** The current address and those before, which Pods may still have; none before the first. */
  private volatile List<EgressAddress> resolved = List.of();

  private boolean failing;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("egress-target").factory());

  /**
   * A target that is not resolved yet.
   *
   * @param config absent if no class may require the check
   */
  public EgressTarget(@Nullable EgressCheckConfig config) {
    this(
        config,
        host ->
            Arrays.stream(InetAddress.getAllByName(host))
                .map(InetAddress::getHostAddress)
                .toList());
  }

  EgressTarget(@Nullable EgressCheckConfig config, Resolver resolver) {
    this.config = config;
    this.resolver = resolver;
  }

  /** Starts to resolve the name. */
  public void start() {
    if (config != null) {
      var unused =
          timer.scheduleWithFixedDelay(this::resolve, 0, INTERVAL_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** Why no Pod of a class can be created now; empty if nothing is missing. */
  public Optional<String> missing(RunClassSpec runClass) {
    if (!runClass.requiresEgressCheck() || !resolved.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        config == null
            ? "The class requires egressCheck, which this operator is not configured for: set"
                + " egressCheck: Disabled in the class"
            : "The operator cannot resolve " + config.host() + " yet, which egressCheck needs");
  }

  /**
   * The address for the Pods of a class; empty if the class does not require the check.
   *
   * @throws IllegalStateException if something is missing
   */
  public Optional<EgressAddress> of(RunClassSpec runClass) {
    if (!runClass.requiresEgressCheck()) {
      return Optional.empty();
    }
    return Optional.of(
        resolved.stream()
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(missing(runClass).orElse(""))));
  }

  /** The address that a Pod was told; empty if the name never had it, or not lately. */
  Optional<EgressAddress> resolved(String text) {
    return resolved.stream().filter(address -> address.toString().equals(text)).findFirst();
  }

  /**
   * Resolves the name now, and blocks meanwhile. The last address stays while DNS is unavailable.
   */
  public void resolve() {
    EgressCheckConfig known = config;
    if (known == null) {
      return;
    }
    try {
      List<EgressAddress> found =
          resolver.resolve(known.host()).stream()
              .map(address -> new EgressAddress(address, known.port()))
              .toList();
      // DNS returns several in any order: one that is still among them is kept, or the idle Pods
      // would be replaced each time.
      Stream<EgressAddress> current = resolved.stream().limit(1).filter(found::contains);
      resolved =
          Stream.of(current, found.stream().limit(1), resolved.stream())
              .flatMap(addresses -> addresses)
              .distinct()
              .limit(MAX_KNOWN)
              .toList();
      failing = false;
    } catch (UnknownHostException e) {
      if (!failing) {
        LOG.warn(
            "The address for egressCheck could not be resolved and will be again: {}",
            e.toString());
      }
      failing = true;
    }
  }
}
