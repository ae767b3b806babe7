package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectorBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects one replica of the operator with a {@link LeaderLease}. Its threads are its own, so that
 * the Lease is renewed whatever else the process does.
 */
public final class LeaderElection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);
  private static final long MAX_CLOSE_SECONDS = 2;

  private final LeaderElector elector;
  private final Runnable elected;
  private final Runnable lost;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("leader-election-", 0).factory());
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable CompletableFuture<?> running;

  /**
   * How long a Lease lasts, and what follows from it.
   *
   * @param lease after the last renewal another replica may lead
   * @param renew the leader stops to lead if it could not renew its Lease for so long; shorter than
   *     {@code lease}
   * @param retry between two renewals, and between two tries of the others
   */
  public record Times(Duration lease, Duration renew, Duration retry) {
    /** Those of Kubernetes' own components. */
    public static final Times DEFAULT =
        new Times(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));
  }

  /**
   * An election in which this replica does not take part yet.
   *
   * @param lease with the identity of this replica
   * @param elected called on a thread of its own, once, when this replica holds the Lease
   * @param lost called on a thread of its own, at most once, when it does not any more; not after
   *     {@link #close}
   */
  public LeaderElection(
      KubernetesClient client, LeaseLock lease, Times times, Runnable elected, Runnable lost) {
    this.elected = elected;
    this.lost = lost;
    // The elector calls back between two renewals and with its lock held: a call that takes long
    // would let the Lease expire, and one that ends the process would wait for close(), which waits
    // for that lock.
    LeaderCallbacks callbacks =
        new LeaderCallbacks(
            () -> threads.execute(this::elected), () -> threads.execute(this::lost), this::leader);
    this.elector =
        new LeaderElectorBuilder(client, threads)
            .withConfig(
                new LeaderElectionConfig(
                    lease,
                    times.lease(),
                    times.renew(),
                    times.retry(),
                    callbacks,
                    /* releaseOnCancel= */ false,
                    lease.describe()))
            .build();
  }

  /** Begins to take part. */
  public void start() {
    running = elector.start();
  }

  private void elected() {
    if (!ended.get()) {
      elected.run();
    }
  }

  private void lost() {
    if (ended.compareAndSet(false, true)) {
      lost.run();
    }
  }

  private void leader(String identity) {
    LOG.info("New leader: {}", identity);
  }

  /** Waits a short while for a renewal in progress, and leaves the Lease as it is. */
  @Override
  public void close() {
    ended.set(true);
    CompletableFuture<?> election = running;
    if (election != null) {
      CompletableFuture.runAsync(() -> election.cancel(true), threads)
          .completeOnTimeout(null, MAX_CLOSE_SECONDS, TimeUnit.SECONDS)
          .join();
    }
    threads.shutdownNow();
  }
}
