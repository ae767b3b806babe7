package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UnschedulablePods.CallersPod;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * How datasets wait for their Pods: in the queue for room in a quota, and behind others of their
 * callers, until their pending deadlines.
 */
final class SnapshotWaiting {
  /** How many Pods of a caller's datasets may wait for a node; of a burst perhaps a few more. */
  private static final int MAX_UNSCHEDULABLE = 5;

  /** How often a dataset checks whether it is its caller's turn. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final DatasetResources resources;
  private final RunnerPods pods;
  private final DatasetStatusWriter statuses;
  private final Clock clock;

  /** Since when an attempt waits for its Pod to be created, by its id. */
  private final Map<String, Instant> waitingSince = new ConcurrentHashMap<>();

  SnapshotWaiting(
      DatasetResources resources, RunnerPods pods, DatasetStatusWriter statuses, Clock clock) {
    this.resources = resources;
    this.pods = pods;
    this.statuses = statuses;
    this.clock = clock;
    pods.unschedulable().addSource(namespace -> podsOf(namespace, PodState::isUnschedulable));
  }

  /** Has a dataset wait for its turn; empty if its Pod may be created now. */
  Optional<UpdateControl<Dataset>> waitForTurn(
      Dataset dataset, SnapshotIdentity identity, RunClass runClass) {
    String namespace = dataset.getMetadata().getNamespace();
    Optional<Duration> wait = pods.queue().turn(namespace, waiting(dataset));
    if (wait.isPresent()) {
      return Optional.of(
          waitForRoom(
              dataset, identity, runClass, "Queued for room in the namespace's quota", wait.get()));
    }
    if (waitsForTurn(dataset)) {
      pods.queue().leave(namespace, dataset.getMetadata().getUid());
      return Optional.of(
          waitForRoom(
              dataset,
              identity,
              runClass,
              "Queued behind other datasets of its caller, whose Pods wait for a node",
              LOOK));
    }
    return Optional.empty();
  }

  /**
   * Whether Pods of the caller's datasets wait for a node already: several, or one while another
   * caller waits as well. The scheduler does not know callers.
   */
  private boolean waitsForTurn(Dataset dataset) {
    String namespace = dataset.getMetadata().getNamespace();
    String caller = caller(dataset);
    List<CallersPod> waiting = pods.unschedulable().of(namespace);
    boolean isContended =
        pods.unschedulable().hasOtherCallers(waiting, dataset.getSpec().className(), caller);
    Predicate<Pod> counts =
        pod -> PodState.isUnschedulable(pod) || (isContended && PodState.awaitsScheduler(pod));
    return podsOf(namespace, counts).filter(one -> one.caller().equals(caller)).count()
        >= (isContended ? 1 : MAX_UNSCHEDULABLE);
  }

  private Stream<CallersPod> podsOf(String namespace, Predicate<Pod> which) {
    return resources.pods().stream()
        .filter(which)
        .filter(pod -> pod.getMetadata().getNamespace().equals(namespace))
        .flatMap(
            pod ->
                resources
                    .datasetOf(pod)
                    .map(dataset -> new CallersPod(pod, caller(dataset)))
                    .stream());
  }

  /** The quota was exceeded. */
  UpdateControl<Dataset> waitForQuota(
      Dataset dataset, SnapshotIdentity identity, RunClass runClass, String refusal) {
    Duration retry =
        pods.queue().refused(dataset.getMetadata().getNamespace(), waiting(dataset), refusal);
    return waitForRoom(dataset, identity, runClass, refusal, retry);
  }

  /** Waits until this leader's pending deadline. */
  UpdateControl<Dataset> waitForRoom(
      Dataset dataset,
      SnapshotIdentity identity,
      RunClass runClass,
      String message,
      Duration retry) {
    Instant since = waitingSince.computeIfAbsent(identity.id(), id -> clock.instant());
    int pendingSeconds = runClass.getSpec().timeouts().pendingSeconds();
    Duration left = Duration.between(clock.instant(), since.plusSeconds(pendingSeconds));
    if (!left.isPositive()) {
      return fail(
          dataset, identity, "No Pod could be created within " + pendingSeconds + " s: " + message);
    }
    statuses.waitingForPod(dataset, identity, message);
    return UpdateControl.<Dataset>noUpdate()
        .rescheduleAfter(retry.compareTo(left) < 0 ? retry : left);
  }

  /** It does not wait for room in the quota, and must not block those that do. */
  void leaveToOthers(Dataset dataset) {
    pods.queue().leave(dataset.getMetadata().getNamespace(), dataset.getMetadata().getUid());
  }

  /** The dataset does not wait for room in the quota any more. */
  void leaveQueue(Dataset dataset) {
    waitingSince.keySet().removeIf(id -> id.startsWith(dataset.getMetadata().getUid()));
    pods.queue().leave(dataset.getMetadata().getNamespace(), dataset.getMetadata().getUid());
  }

  /** Its Pod is created. */
  void podCreated(Dataset dataset, SnapshotIdentity identity) {
    leaveQueue(dataset);
    statuses.loading(
        dataset,
        identity,
        dataset.getSpec().source().upload() == null ? "Reading the source" : "Creating its Pod");
  }

  /** The dataset cannot be loaded. */
  UpdateControl<Dataset> fail(Dataset dataset, SnapshotIdentity identity, String message) {
    leaveQueue(dataset);
    statuses.failed(dataset, identity, message);
    return UpdateControl.noUpdate();
  }

  /** What kubectl has created counts as one caller's. */
  private static String caller(Dataset dataset) {
    return Objects.requireNonNullElse(dataset.getSpec().caller(), "");
  }

  private PodQueue.Waiting waiting(Dataset dataset) {
    return new PodQueue.Waiting(
        dataset.getMetadata().getUid(),
        caller(dataset),
        CreationOrder.of(dataset),
        () -> resources.isActive(dataset),
        () -> resources.reconcileAgain(dataset));
  }
}
