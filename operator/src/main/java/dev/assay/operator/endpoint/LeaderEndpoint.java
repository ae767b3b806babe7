package dev.assay.operator.endpoint;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The internal endpoint with its certificate and its address. Runs on the leader only. */
public final class LeaderEndpoint implements AutoCloseable {
  private static final long INTERVAL_SECONDS = 5;

  private final InternalEndpoint endpoint;
  private final LeaderAddress address;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("leader-address").factory());

  /** An endpoint that does not listen yet. */
  public LeaderEndpoint(InternalEndpoint endpoint, LeaderAddress address) {
    this.endpoint = endpoint;
    this.address = address;
  }

  /**
   * Listens, and routes the Service to this replica.
   *
   * @throws IOException if the port cannot be bound
   */
  public void serve(String podIp) throws IOException {
    endpoint.start();
    address.publish(podIp);
    var unused =
        timer.scheduleWithFixedDelay(
            () -> address.restore(podIp), INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    endpoint.close();
  }
}
