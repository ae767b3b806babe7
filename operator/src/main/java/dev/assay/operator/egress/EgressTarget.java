package dev.assay.operator.egress;

import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.pod.EgressAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address that run Pods must be refused at. Its name is resolved here, since run Pods have no
 * DNS, and again and again, since a Service that is created anew has another address.
 */
public final class EgressTarget implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EgressTarget.class);
  private static final long INTERVAL_SECONDS = 10;

  /** Finds the IP address of a host. */
  @FunctionalInterface
  interface Resolver {
    String resolve(String host) throws UnknownHostException;
  }

  private final @Nullable EgressCheckConfig config;
  private final Resolver resolver;
  private volatile @Nullable EgressAddress address;
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
    this(config, host -> InetAddress.getByName(host).getHostAddress());
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
    if (!runClass.requiresEgressCheck() || address != null) {
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
        Optional.ofNullable(address)
            .orElseThrow(() -> new IllegalStateException(missing(runClass).orElse(""))));
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
      address = new EgressAddress(resolver.resolve(known.host()), known.port());
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
