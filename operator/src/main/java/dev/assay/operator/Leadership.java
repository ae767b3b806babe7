package dev.assay.operator;

import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import dev.assay.operator.health.HealthCheck;
import dev.assay.operator.kubernetes.LeaderElection;
import dev.assay.operator.kubernetes.LeaderLease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this replica leads, and what only the leader does. */
final class Leadership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  /** With its caches filled, which takes longest with many objects. */
  private static final Duration MAX_TAKING_UP = Duration.ofMinutes(2);

  private static final Duration GRACE = Duration.ofMinutes(1);

  private final @Nullable LeaderLease lease;
  private final @Nullable LeaderElection election;
  private final List<Task> tasks;
  private final Consumer<Exception> cannotLead;
  private volatile boolean leaseIsLost;
  private volatile State state = State.STANDBY;

  private enum State {
    STANDBY,
    TAKING_UP,
    LEADING,
    CLOSED
  }

  /** Something that only the leader does. */
  interface Task {
    void start() throws IOException;
  }

  /**
   * Creates the leadership of a replica that does not lead.
   *
   * @param election null for the only replica, which leads from the start
   * @param identity of this replica in the Lease
   * @param tasks in the order in which they are started
   * @param cannotLead called when an elected replica cannot start a task, or has lost the Lease: it
   *     must then end
   */
  Leadership(
      KubernetesClient client,
      @Nullable LeaderElectionConfig election,
      String identity,
      List<Task> tasks,
      Consumer<Exception> cannotLead) {
    this.tasks = List.copyOf(tasks);
    this.cannotLead = cannotLead;
    if (election == null) {
      this.lease = null;
      this.election = null;
    } else {
      String namespace = election.namespace();
      String name = election.leaseName();
      this.lease = new LeaderLease(client, namespace, name, identity);
      this.election =
          new LeaderElection(
              client,
              new LeaseLock(namespace, name, identity),
              LeaderElection.Times.DEFAULT,
              this::elected,
              () -> cannotLead.accept(new IllegalStateException("its Lease was lost")));
    }
  }

  /** Whether replicas elect their leader. */
  boolean isElected() {
    return election != null;
  }

  /**
   * The only replica leads when this returns; others take part in the election.
   *
   * @throws IOException if the only replica cannot start a task
   */
  void start() throws IOException {
    if (election == null) {
      take();
    } else {
      election.start();
    }
  }

  /** If a task cannot be started, the process exits and another replica leads. */
  private void elected() {
    long begun = System.nanoTime();
    try {
      take();
      LOG.info("Leading after {} ms", Duration.ofNanos(System.nanoTime() - begun).toMillis());
    } catch (IOException | RuntimeException e) {
      if (state != State.CLOSED) {
        cannotLead.accept(e);
      }
    }
  }

  private void take() throws IOException {
    state = State.TAKING_UP;
    for (Task task : tasks) {
      task.start();
    }
    state = State.LEADING;
  }

  /** Whether this replica leads. */
  boolean leads() {
    return state == State.LEADING;
  }

  /** Reads whether this replica still holds the Lease. */
  void checkLease() {
    if (lease != null) {
      leaseIsLost = !lease.isHeldOrUnknown();
    }
  }

  List<HealthCheck> healthChecks() {
    return List.of(
        new HealthCheck(
            MAX_TAKING_UP,
            true,
            () ->
                state == State.TAKING_UP
                    ? Set.of("this replica holds the Lease but has not started to lead")
                    : Set.of()),
        new HealthCheck(
            GRACE,
            true,
            () ->
                state == State.LEADING && leaseIsLost
                    ? Set.of("this replica leads without holding the Lease")
                    : Set.of()));
  }

  /** Releases the Lease, as the last step of a shutdown. */
  @Override
  public void close() {
    state = State.CLOSED;
    if (election != null) {
      election.close();
    }
    if (lease != null) {
      lease.release();
    }
  }
}
