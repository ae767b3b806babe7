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
 * Has a Pod remove the snapshots of one namespace that are not in use, from time to time.
 *
 * <p>What is in use is listed before the Pod is made, and the Pod is told the time of the list:
 * what is made later is younger, however late the Pod comes to run. Runs are only ever pinned to
 * the current snapshot of a dataset, so that one which is in use no more stays so. As a run may be
 * admitted by a cache that is a moment behind, only what was not in use at two looks goes.
 */
final class NamespaceCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceCleanup.class);
  private static final String USUAL_CLASS = "snapshot";

  private final RunNamespace namespace;
  private final Duration every;
  private final Duration minAge;
  private final KubernetesClient client;
  private final RunnerPods pods;
  private final NetworkPolicies networkPolicies;
  private final Clock clock;

  private Instant nextLook = Instant.MIN;
  private @Nullable CleanupHistory history;
  private @Nullable Sweep sweep;

  /** A Pod that was not seen to end, and the time of the look that it was made from. */
  private record Sweep(String podName, Instant look) {}

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

  void lookQuietly() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.warn(
          "Snapshots in {} that are not in use were not removed: {}",
          namespace.name(),
          e.toString());
    }
  }

  /** Does what is due now, and waits for nothing. */
  void look() {
    if (sweep != null) {
      follow(sweep);
    }
    Instant now = clock.instant();
    if (sweep == null && !now.isBefore(nextLook)) {
      nextLook = now.plus(every);
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
      LOG.warn("Pod {} in {} was removed by others", current.podName(), namespace.name());
    } else if (!"Succeeded".equals(pod.getStatus().getPhase())) {
      // It stays until the next look, for its log.
      LOG.warn(
          "Not all snapshots in {} that are not in use were removed: {}. Pod {} has more in its"
              + " log; the image of its class may be older than this operator",
          namespace.name(),
          PodState.endedBecause(pod),
          current.podName());
    } else {
      history = history == null ? null : history.sweptAt(current.look());
      pods.delete(pod);
    }
  }

  private void sweepIfDue(Instant now) {
    SortedSet<String> inUse = new TreeSet<>();
    List<Pod> earlier = new ArrayList<>();
    // Datasets first: what a run is pinned to after that is among them, or younger than the list.
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
        before == null ? CleanupHistory.begin(inUse, now) : before.looked(inUse, now);
    history = seen;
    if (before != null && !othersSweep && seen.isDue(minAge)) {
      sweep(before.inUseAlso(inUse), now);
    }
  }

  private void sweep(SortedSet<String> inUse, Instant now) {
    Optional<RunClass> runClass =
        classFor(namespace.name(), client.resources(RunClass.class).list().getItems());
    if (runClass.isEmpty()) {
      // Nor has anybody been able to make snapshots.
      return;
    }
    if (!CleanupPod.canBeTold(inUse)) {
      LOG.warn(
          "Snapshots in {} are not removed: {} in use are too many to be told to one Pod",
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

  /** The class whose image takes a sweep: the usual one, else the first by name. */
  static Optional<RunClass> classFor(String namespace, Collection<RunClass> classes) {
    return classes.stream()
        .filter(runClass -> runClass.getSpec().purpose() == Purpose.Snapshot)
        .filter(runClass -> runClass.getSpec().allows(namespace))
        .min(
            Comparator.comparing((RunClass runClass) -> !name(runClass).equals(USUAL_CLASS))
                .thenComparing(NamespaceCleanup::name));
  }

  private static String name(RunClass runClass) {
    return runClass.getMetadata().getName();
  }
}
