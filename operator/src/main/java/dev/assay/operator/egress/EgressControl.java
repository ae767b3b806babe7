package dev.assay.operator.egress;

import dev.assay.operator.pod.EgressAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The positive control: whether this process itself can connect to the address that run Pods are
 * refused at. Callers at the same time share an attempt, so that any number of them cost one, and
 * an address that does not answer delays nobody who waits for another.
 */
final class EgressControl {
  private static final int TIMEOUT_MILLIS = 1000;

  /** How old the control before the attempt of a Pod may be; the one after it is always new. */
  private static final Duration RECENT = Duration.ofSeconds(5);

  /** Connects, and closes the connection. */
  @FunctionalInterface
  interface Dialer {
    void dial(EgressAddress address) throws IOException;
  }

  private final Dialer dialer;
  private final Clock clock;

  /** Few: addresses that the name of a Service has had. */
  private final Map<EgressAddress, Attempts> byAddress = new ConcurrentHashMap<>();

  /**
   * An attempt.
   *
   * @param number of all attempts at this address, in order of their beginning
   * @param failure why it failed; null if it succeeded
   */
  private record Attempt(long number, Instant at, @Nullable String failure) {
    boolean hasSucceeded(Instant since) {
      return failure == null && !at.isBefore(since);
    }
  }

  EgressControl(Clock clock) {
    this(EgressControl::dial, clock);
  }

  EgressControl(Dialer dialer, Clock clock) {
    this.dialer = dialer;
    this.clock = clock;
  }

  /** Why the address was not reached in the last seconds; empty if it was. */
  Optional<String> recentFailure(EgressAddress address) {
    Attempt known = attempts(address).last;
    return known != null && known.hasSucceeded(clock.instant().minus(RECENT))
        ? Optional.empty()
        : failure(address);
  }

  /** Why an attempt that begins after this call fails; empty if it succeeds. */
  Optional<String> failure(EgressAddress address) {
    return Optional.ofNullable(attempts(address).next().failure());
  }

  private Attempts attempts(EgressAddress address) {
    return byAddress.computeIfAbsent(address, Attempts::new);
  }

  /** The attempts at one address. */
  private final class Attempts {
    private final EgressAddress address;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong begun = new AtomicLong();
    private volatile @Nullable Attempt last;

    Attempts(EgressAddress address) {
      this.address = address;
    }

    /** One that begins after this call. */
    Attempt next() {
      long before = begun.get();
      lock.lock();
      try {
        Attempt latest = last;
        if (latest == null || latest.number() <= before) {
          latest = attempt();
          last = latest;
        }
        return latest;
      } finally {
        lock.unlock();
      }
    }

    private Attempt attempt() {
      long number = begun.incrementAndGet();
      Instant at = clock.instant();
      try {
        dialer.dial(address);
        return new Attempt(number, at, null);
      } catch (IOException e) {
        return new Attempt(number, at, String.valueOf(e.getMessage()));
      }
    }
  }

  private static void dial(EgressAddress address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.ofLiteral(address.host()), address.port()),
          TIMEOUT_MILLIS);
    }
  }
}
