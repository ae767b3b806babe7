package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.SnapshotCleanupConfig;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.CleanupPod;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a Pod periodically that removes the unused snapshots of one namespace.
 *
 * <p>The snapshots in use are listed before the Pod is created, and the Pod gets the time of the
 * list: snapshots created later are younger, however late the Pod starts. Runs are only pinned to
 * the current snapshot of a dataset, so an unused snapshot remains unused. Because a run may be
 * admitted from a slightly stale cache, only snapshots that were unused at two checks are removed.
 */
final class NamespaceCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceCleanup.class);
  private static final String DEFAULT_CLASS = "snapshot";

  private final RunNamespace namespace;
  private final Duration every;
  private final Duration minAge;
  private final KubernetesClient client;
  private final RunnerPods pods;
  private final NetworkPolicies networkPolicies;
  private final Clock clock;

  private Instant nextCheck = Instant.MIN;
  private @Nullable CleanupHistory history;
  private @Nullable Sweep sweep;

  /** A Pod that has not terminated yet, and the time of the check that it is based on. */
  private record Sweep(String podName, Instant checked) {}

  NamespaceCleanup(
      RunNamespace namespace,
      SnapshotCleanupConfig config,
      KubernetesClient client,
      RunnerPods pods,
      NetworkPolicies networkPolicies,
      Clock clock) {
    this.namespace = namespace;
    this.every = Duration.ofSeconds(config.everySeconds());
    this.minAge = Duration.ofSeconds(config.minAgeSeconds());
    this.client = client;
    this.pods = pods;
    this.networkPolicies = networkPolicies;
    this.clock = clock;
  }

  String namespace() {
    return namespace.name();
  }

  void runQuietly() {
    try {
      runOnce();
    } catch (RuntimeException e) {
      LOG.warn(
          "Removing unused snapshots in namespace {} failed: {}", namespace.name(), e.toString());
    }
  }

  /** Does what is due now, without blocking. */
  void runOnce() {
    if (sweep != null) {
      follow(sweep);
    }
    Instant now = clock.instant();
    if (sweep == null && !now.isBefore(nextCheck)) {
      nextCheck = now.plus(every);
      sweepIfDue(now);
    }
  }

  private void follow(Sweep current) {
    Pod pod = client.pods().inNamespace(namespace.name()).withName(current.podName()).get();
    if (pod != null && !PodState.isTerminal(pod)) {
      return;
    }
    sweep = null;
    if (pod == null) {
      LOG.warn(
          "Pod {} in namespace {} was deleted unexpectedly", current.podName(), namespace.name());
    } else if (!"Succeeded".equals(pod.getStatus().getPhase())) {
      // It is kept until the next check, for its log.
      LOG.warn(
          "Not all unused snapshots in namespace {} were removed: {}. See the log of Pod {}; the"
              + " image of its class may be older than this operator",
          namespace.name(),
          PodState.terminationReason(pod),
          current.podName());
    } else {
      history = history == null ? null : history.sweptAt(current.checked());
      pods.delete(pod);
    }
  }

  private void sweepIfDue(Instant now) {
    SortedSet<String> inUse = new TreeSet<>();
    List<Pod> earlier = new ArrayList<>();
    // Datasets first: a snapshot that a run is pinned to later is in the list, or younger than it.
    Pages.forEach(
        client.resources(Dataset.class).inNamespace(namespace.name()),
        dataset -> inUse.addAll(SnapshotsInUse.by(dataset)));
    Pages.forEach(
        client.pods().inNamespace(namespace.name()).withLabel(Labels.RUNNER_POD),
        pod -> {
          inUse.addAll(SnapshotsInUse.by(pod));
          if (pod.getMetadata().getLabels().containsKey(Labels.SNAPSHOT_CLEANUP)) {
            earlier.add(pod);
          }
        });
    Pages.forEach(
        client.resources(AnalyticsRun.class).inNamespace(namespace.name()),
        run -> inUse.addAll(SnapshotsInUse.by(run)));
    earlier.stream().filter(PodState::isTerminal).forEach(pods::delete);
    boolean othersSweep = !earlier.stream().allMatch(PodState::isTerminal);

    CleanupHistory before = history;
    CleanupHistory seen =
        before == null ? CleanupHistory.begin(inUse, now) : before.observed(inUse, now);
    history = seen;
    if (before != null && !othersSweep && seen.isDue(minAge)) {
      sweep(before.inUseOrFound(inUse), now);
    }
  }

  private void sweep(SortedSet<String> inUse, Instant now) {
    Optional<RunClass> runClass =
        classFor(namespace.name(), Pages.all(client.resources(RunClass.class)));
    if (runClass.isEmpty()) {
      // Without a class there are no snapshots either.
      return;
    }
    if (!CleanupPod.fitsInArguments(inUse)) {
      LOG.warn(
          "Snapshots in namespace {} are not removed: the paths of {} snapshots in use do not fit"
              + " in the arguments of one Pod",
          namespace.name(),
          inUse.size());
      return;
    }
    networkPolicies.ensure(namespace.name());
    String name = "snapshot-cleanup-" + now.getEpochSecond();
    pods.create(
        CleanupPod.build(
            name,
            namespace.name(),
            runClass.get(),
            namespace.snapshotClaim(),
            inUse,
            now.minus(minAge)));
    sweep = new Sweep(name, now);
  }

  /** The class whose image runs the sweep: the default one, otherwise the first by name. */
  static Optional<RunClass> classFor(String namespace, Collection<RunClass> classes) {
    return classes.stream()
        .filter(runClass -> runClass.getSpec().purpose() == Purpose.Snapshot)
        .filter(runClass -> runClass.getSpec().allows(namespace))
        .min(
            Comparator.comparing((RunClass runClass) -> !name(runClass).equals(DEFAULT_CLASS))
                .thenComparing(NamespaceCleanup::name));
  }

  private static String name(RunClass runClass) {
    return runClass.getMetadata().getName();
  }
}
