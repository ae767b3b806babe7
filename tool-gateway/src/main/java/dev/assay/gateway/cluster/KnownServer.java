package dev.assay.gateway.cluster;

import dev.assay.api.v1alpha1.ToolServer;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tool server as the API server has it. A watch can be silent, and a server that was disabled
 * meanwhile must not be called.
 */
final class KnownServer {
  /** How old the state may be while the API server can be asked. */
  static final Duration FRESH = Duration.ofSeconds(5);

  /** How old it may be while the API server cannot be asked. */
  static final Duration MAX_AGE = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(KnownServer.class);

  private final Supplier<@Nullable ToolServer> watched;
  private final Supplier<Optional<ToolServer>> read;
  private final LongSupplier nanoTime;
  private final ReentrantLock lock = new ReentrantLock();

  /** What the watch had when the API server was asked last, and what it had at the last answer. */
  private @Nullable ToolServer watchedWhenAsked;

  private @Nullable ToolServer watchedWhenAnswered;
  private Optional<ToolServer> answer = Optional.empty();
  private long askedAt;
  private long answeredAt;

  /**
   * A server that is not known yet.
   *
   * @param watched what the watch has; null if that has none
   * @param read asks the API server
   */
  KnownServer(
      Supplier<@Nullable ToolServer> watched,
      Supplier<Optional<ToolServer>> read,
      LongSupplier nanoTime) {
    this.watched = watched;
    this.read = read;
    this.nanoTime = nanoTime;
  }

  /**
   * The server; empty if there is none. One caller asks the API server at a time, and others wait
   * for its answer.
   *
   * @throws KubernetesClientException if what is known is too old
   */
  Optional<ToolServer> get() {
    lock.lock();
    try {
      ToolServer seen = watched.get();
      if (seen == null) {
        return Optional.empty();
      }
      long now = nanoTime.getAsLong();
      if (!seen.equals(watchedWhenAsked) || now - askedAt >= FRESH.toNanos()) {
        watchedWhenAsked = seen;
        askedAt = now;
        ask(seen);
      }
      if (!seen.equals(watchedWhenAnswered)
          || nanoTime.getAsLong() - answeredAt > MAX_AGE.toNanos()) {
        throw new KubernetesClientException("The state of a tool server is not known");
      }
      return answer;
    } finally {
      lock.unlock();
    }
  }

  /** An answer is as old as its question. */
  private void ask(ToolServer seen) {
    try {
      answer = read.get();
      watchedWhenAnswered = seen;
      answeredAt = askedAt;
    } catch (KubernetesClientException e) {
      LOG.warn("A tool server could not be read: {}", e.getMessage());
    }
  }
}
