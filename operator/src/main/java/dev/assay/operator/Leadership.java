package dev.assay.operator;

import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import dev.assay.operator.health.HealthCheck;
import dev.assay.operator.kubernetes.LeaderLease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this replica leads, and what only the leader does. */
final class Leadership {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
  private static final Duration GRACE = Duration.ofMinutes(1);

  private final @Nullable LeaderElectionConfig election;
  private final @Nullable LeaderLease lease;
  private final String identity;
  private final List<Task> tasks;
  private final Consumer<Exception> cannotLead;
  private volatile boolean leaseIsLost;
  private volatile State state = State.STANDBY;

  private enum State {
    STANDBY,
    TAKING_UP,
    LEADING
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
   * @param cannotLead called when a task cannot be started
   */
  Leadership(
      KubernetesClient client,
      @Nullable LeaderElectionConfig election,
      String identity,
      List<Task> tasks,
      Consumer<Exception> cannotLead) {
    this.election = election;
    this.lease =
        election == null
            ? null
            : new LeaderLease(client, election.namespace(), election.leaseName(), identity);
    this.identity = identity;
    this.tasks = List.copyOf(tasks);
    this.cannotLead = cannotLead;
  }

  /** Whether replicas elect their leader. */
  boolean isElected() {
    return election != null;
  }

  /** The election for the SDK; empty if there is none. */
  Optional<LeaderElectionConfiguration> configuration() {
    return Optional.ofNullable(election)
        .map(
            configured ->
                LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(
                        configured.leaseName())
                    .withLeaseNamespace(configured.namespace())
                    .withIdentity(identity)
                    .withLeaderCallbacks(
                        new LeaderCallbacks(
                            this::take,
                            () -> LOG.info("Lost leadership"),
                            leader -> LOG.info("New leader: {}", leader)))
                    .build());
  }

  /** Starts the tasks; if that fails, the process exits and another replica leads. */
  void take() {
    state = State.TAKING_UP;
    try {
      for (Task task : tasks) {
        task.start();
      }
      state = State.LEADING;
    } catch (IOException | RuntimeException e) {
      cannotLead.accept(e);
    }
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
            GRACE,
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
  void release() {
    if (lease != null) {
      lease.release();
    }
  }
}
