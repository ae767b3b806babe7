package dev.assay.e2e;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The versions of the operator's Lease from one leader to the next. */
final class LeaseChanges implements Watcher<Lease>, AutoCloseable {
  private final String leader;
  private final List<Lease> versions = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Lease> taken = new CompletableFuture<>();
  private final Watch watch;

  /**
   * Watches the Lease.
   *
   * @param leader its current holder
   */
  LeaseChanges(Resource<Lease> lease, String leader) {
    this.leader = leader;
    this.watch = lease.watch(this);
  }

  @Override
  public void eventReceived(Action action, Lease lease) {
    versions.add(lease);
    String holder = OperatorPods.holder(lease);
    if (!holder.isEmpty() && !holder.equals(leader)) {
      taken.complete(lease);
    }
  }

  @Override
  public void onClose(WatcherException failure) {
    taken.completeExceptionally(failure);
  }

  /** Waits until another one leads. */
  Lease taken() {
    return taken.orTimeout(1, TimeUnit.MINUTES).join();
  }

  /** Whether another leader is elected within this time. */
  boolean isTakenWithin(Duration time) {
    try {
      taken.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the Lease was without a holder at any time. */
  boolean wasReleased() {
    return versions.stream().anyMatch(lease -> OperatorPods.holder(lease).isEmpty());
  }

  /** When the Lease of the leader would have expired. */
  ZonedDateTime endOfTerm() {
    Lease last =
        versions.stream()
            .filter(lease -> OperatorPods.holder(lease).equals(leader))
            .reduce((earlier, later) -> later)
            .orElseThrow();
    return last.getSpec().getRenewTime().plusSeconds(last.getSpec().getLeaseDurationSeconds());
  }

  @Override
  public void close() {
    watch.close();
  }
}
