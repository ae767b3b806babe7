package dev.assay.operator;

import dev.assay.operator.health.ApiProbe;
import dev.assay.operator.health.HealthCheck;
import dev.assay.operator.health.HealthMonitor;
import dev.assay.operator.health.ReconcileThreads;
import dev.assay.operator.kubernetes.ApiClients;
import dev.assay.operator.kubernetes.NetworkPolicyGuard;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.pool.PoolKeeper;
import dev.assay.operator.runner.RunnerClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What of the operator can be stuck. */
final class OperatorHealth {
  /** A watch that the API server closes is reconnected within half a minute. */
  private static final Duration INFORMER_GRACE = Duration.ofMinutes(2);

  private OperatorHealth() {}

  /** A monitor of the operator that is not started yet. */
  static HealthMonitor monitor(
      KubernetesClient client,
      Controllers controllers,
      ServedNamespaces namespaces,
      NetworkPolicyGuard networkPolicies,
      ReconcileThreads reconciles,
      RunnerClient runners,
      Leadership leadership,
      PoolKeeper pools,
      Clock clock) {
    Stream<HealthCheck> checks =
        Stream.of(
            new HealthCheck(INFORMER_GRACE, true, controllers::symptoms),
            new HealthCheck(
                INFORMER_GRACE, true, () -> networkPolicies.symptoms(namespaces::mayNotWatch)),
            new HealthCheck(Duration.ZERO, true, reconciles::stuck),
            new HealthCheck(INFORMER_GRACE, true, pools::symptoms),
            new HealthCheck(
                Duration.ZERO,
                false,
                () ->
                    runners.isTerminated()
                        ? Set.of("the HTTP client for run Pods has terminated")
                        : Set.of()));
    List<HealthCheck> all = Stream.concat(checks, leadership.healthChecks().stream()).toList();
    return new HealthMonitor(all, probe(client, leadership), reconciles.executor(), clock);
  }

  /** Sends the same request on the client and on a new connection, so that an outage fails both. */
  private static ApiProbe probe(KubernetesClient client, Leadership leadership) {
    return new ApiProbe(
        () -> {
          boolean answered = ApiClients.isAnswered(client);
          if (answered) {
            leadership.checkLease();
          }
          return answered;
        },
        () -> ApiClients.newConnectionIsAnswered(client));
  }
}
