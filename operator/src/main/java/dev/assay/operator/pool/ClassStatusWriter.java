package dev.assay.operator.pool;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import dev.assay.operator.egress.NetworkCondition;
import dev.assay.operator.kubernetes.StatusWriter;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the status of each class what its pools have and whether the network of its Pods is
 * closed, if that has changed, and not often: the front end and the operators watch classes. No
 * reconcile follows from it.
 */
public final class ClassStatusWriter {
  private static final Logger LOG = LoggerFactory.getLogger(ClassStatusWriter.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final StatusWriter<RunClassStatus, RunClass> statuses;
  private final NetworkCondition network;
  private final ExecutorService threads;
  private final Clock clock;

  /** When a class was written last, by UID. */
  private final Map<String, Instant> written = new ConcurrentHashMap<>();

  /** The classes whose status could not be written, which is logged once. */
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  public ClassStatusWriter(
      KubernetesClient client, NetworkCondition network, ExecutorService threads, Clock clock) {
    this.network = network;
    this.statuses = new StatusWriter<>(client, RunClass.class);
    this.threads = threads;
    this.clock = clock;
  }

  /** Writes the pools of these classes on other threads, where that is due; forgets all others. */
  void write(Collection<RunClass> classes, List<Pool> pools) {
    Map<String, List<NamespacePool>> ofClass =
        pools.stream()
            .collect(groupingBy(pool -> pool.key().className(), mapping(Pool::status, toList())));
    for (RunClass runClass : classes) {
      write(runClass, ofClass.getOrDefault(runClass.getMetadata().getName(), List.of()));
    }
    Set<String> uids = classes.stream().map(found -> found.getMetadata().getUid()).collect(toSet());
    written.keySet().retainAll(uids);
    failing.retainAll(uids);
  }

  private void write(RunClass runClass, List<NamespacePool> pools) {
    Optional<WarmPoolStatus> wanted = PoolStatus.of(pools);
    String uid = runClass.getMetadata().getUid();
    Instant now = clock.instant();
    if (next(runClass, wanted).isPresent()
        && !written.getOrDefault(uid, Instant.MIN).isAfter(now.minus(INTERVAL))) {
      written.put(uid, now);
      threads.execute(() -> write(runClass, uid, wanted));
    }
  }

  private void write(RunClass runClass, String uid, Optional<WarmPoolStatus> wanted) {
    try {
      statuses.update(runClass, current -> next(current, wanted));
      failing.remove(uid);
    } catch (KubernetesClientException | IllegalStateException e) {
      if (failing.add(uid)) {
        LOG.warn(
            "The status of class {} could not be written and will be again: {}",
            runClass.getMetadata().getName(),
            e.getMessage());
      }
    }
  }

  /** Empty if the status has it already. */
  private Optional<RunClassStatus> next(RunClass runClass, Optional<WarmPoolStatus> wanted) {
    RunClassStatus status = Optional.ofNullable(runClass.getStatus()).orElse(RunClassStatus.EMPTY);
    @Nullable Condition condition = network.of(runClass);
    RunClassStatus next =
        status
            .withWarmPool(wanted.orElse(null))
            .withConditions(condition == null ? null : List.of(condition));
    return next.equals(status) ? Optional.empty() : Optional.of(next);
  }
}
