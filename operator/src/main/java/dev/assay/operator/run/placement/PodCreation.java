package dev.assay.operator.run.placement;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.PodRejection;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pool.PoolRoom;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.queue.ClassSlots;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Admits runs that have no Pod, in the order of the queue, and creates their Pods, or gives them
 * warm ones.
 */
public final class PodCreation {
  private static final Duration USER_IDS_RETRY = Duration.ofSeconds(3);

  /** How often those that wait for a slot of their class look, even if nobody wakes them. */
  private static final Duration SLOT_LOOK = Duration.ofSeconds(10);

  private static final Duration EGRESS_RETRY = Duration.ofSeconds(1);

  private final OperatorConfig config;
  private final RunResources resources;
  private final RunQueue queue;
  private final ClassSlots slots;
  private final StartRetries retries;
  private final UserIds userIds;
  private final NetworkPolicies networkPolicies;
  private final SigningKeys keys;
  private final EgressTarget egress;
  private final RunnerPods pods;
  private final RunStatusUpdates updates;
  private final RunEvents events;
  private final WarmStarts warm;
  private final PoolRoom room;
  private final RunExecutions executions;

  public PodCreation(
      OperatorConfig config,
      RunResources resources,
      RunQueue queue,
      ClassSlots slots,
      StartRetries retries,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      SigningKeys keys,
      EgressTarget egress,
      RunnerPods pods,
      RunStatusUpdates updates,
      RunEvents events,
      WarmStarts warm,
      PoolRoom room,
      RunExecutions executions) {
    this.config = config;
    this.resources = resources;
    this.queue = queue;
    this.slots = slots;
    this.retries = retries;
    this.userIds = userIds;
    this.networkPolicies = networkPolicies;
    this.keys = keys;
    this.egress = egress;
    this.pods = pods;
    this.updates = updates;
    this.events = events;
    this.warm = warm;
    this.room = room;
    this.executions = executions;
  }

  /** Refuses a run, has it wait, or gets it a Pod. */
  public UpdateControl<AnalyticsRun> admit(AnalyticsRun run) {
    RunClass runClass = resources.runClass(run);
    queue.restore(run.getMetadata().getNamespace());
    if (runClass != null) {
      slots.restore(run, runClass);
    }
    if (runClass != null && slots.isWaiting(run) && !slots.take(run, runClass)) {
      return waitForSlot(run, runClass);
    }
    if (runClass != null && queue.contains(run)) {
      // Its datasets are not read before it may have a Pod.
      Optional<Duration> wait = queue.turn(run, runClass);
      if (wait.isPresent() && !warm.isDue(run, runClass)) {
        return waitInQueue(run, runClass, wait.get());
      }
    }
    if (runClass != null && startedFromCache(run, runClass)) {
      return UpdateControl.noUpdate();
    }
    RunAdmission.Decision decision = decide(run, runClass, name -> resources.dataset(run, name));
    if (!(decision instanceof RunAdmission.Admitted)) {
      queue.leave(run);
      slots.leave(run);
      warm.stopWaiting(run);
    }
    return switch (decision) {
      case RunAdmission.Refused refused -> updates.refuse(run, Optional.empty(), refused);
      case RunAdmission.WaitForDataset wait ->
          updates.waitForStart(
              run,
              Optional.empty(),
              requireNonNull(runClass),
              RunReason.DatasetNotReady,
              wait.message());
      case RunAdmission.Admitted admitted -> createInTurn(run, requireNonNull(runClass), admitted);
    };
  }

  private RunAdmission.Decision decide(
      AnalyticsRun run, @Nullable RunClass runClass, Function<String, Optional<Dataset>> datasets) {
    return RunAdmission.decide(
        run, runClass, datasets, name -> resources.run(run, name), resources::runClasses);
  }

  /**
   * Gives a new run a warm Pod, on the snapshots that the cache has, so that it does not wait for
   * reads of its datasets: they are read while it is bound. If they have changed, the run is given
   * back, and then decided on what the API server has, since the cache may still be stale, of the
   * datasets and of the run itself.
   *
   * @return false if nothing was done
   */
  private boolean startedFromCache(AnalyticsRun run, RunClass runClass) {
    if (!RunState.isNew(run)
        || executions.hasFailedClaim(run)
        || run.getSpec().datasetNames().isEmpty()
        || !run.getSpec().inputList().isEmpty()
        || !runClass.getSpec().warmPoolLimits().exist()
        || updates.untilPendingDeadline(run, runClass).isZero()
        || retries.backoff(run).isPositive()
        || egress.missing(runClass.getSpec()).isPresent()) {
      return false;
    }
    return decide(run, runClass, name -> resources.cachedDataset(run, name))
            instanceof RunAdmission.Admitted admitted
        && slots.take(run, runClass)
        && warm.start(run, runClass, admitted);
  }

  private UpdateControl<AnalyticsRun> createInTurn(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    Duration left = updates.untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      return waitForPod(run, runClass, RunState.waitsFor(run));
    }
    Duration backoff = retries.backoff(run);
    if (backoff.isPositive()) {
      queue.leave(run);
      return UpdateControl.<AnalyticsRun>noUpdate()
          .rescheduleAfter(backoff.compareTo(left) < 0 ? backoff : left);
    }
    Optional<String> missing = egress.missing(runClass.getSpec());
    if (missing.isPresent()) {
      queue.leave(run);
      return waitForPod(run, runClass, missing.get(), EGRESS_RETRY);
    }
    if (!slots.take(run, runClass)) {
      return waitForSlot(run, runClass);
    }
    if (warm.start(run, runClass, admitted)) {
      return UpdateControl.noUpdate();
    }
    Optional<Duration> wait = queue.turn(run, runClass);
    return wait.isPresent()
        ? waitInQueue(run, runClass, wait.get())
        : create(run, runClass, admitted, left);
  }

  private UpdateControl<AnalyticsRun> create(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted, Duration untilDeadline) {
    RunNamespace namespace = namespace(run);
    Optional<PodUsers> users =
        userIds.reserve(PodOfRun.createdName(run), namespace.userIdRange(), resources.pods());
    if (users.isEmpty()) {
      queue.leave(run);
      room.userIdsAreMissing(namespace.name());
      return waitForPod(
          run,
          runClass,
          "All user ids of namespace " + namespace.name() + " are in use",
          USER_IDS_RETRY);
    }
    networkPolicies.ensure(namespace.name());
    try {
      pods.create(
              RunPodRequest.pod(
                  run,
                  namespace,
                  runClass,
                  admitted,
                  users.get(),
                  keys.current().publicKeyEntry(),
                  egress.of(runClass.getSpec())))
          .ifPresent(pod -> created(run, pod));
    } catch (KubernetesClientException e) {
      return rejected(run, runClass, e);
    }
    queue.requested(run);
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(untilDeadline);
  }

  private RunNamespace namespace(AnalyticsRun run) {
    return config.namespace(run.getMetadata().getNamespace()).orElseThrow();
  }

  private void created(AnalyticsRun run, Pod pod) {
    resources.podCreated(pod);
    events.podCreated(run, pod.getMetadata().getName());
  }

  /** The API server rejects the Pod. */
  private UpdateControl<AnalyticsRun> rejected(
      AnalyticsRun run, RunClass runClass, KubernetesClientException rejection) {
    String message = ApiErrors.message(rejection);
    PodRejection cause = PodRejection.of(rejection);
    if (cause != PodRejection.NO_ROOM) {
      // It does not wait for room in the quota, and must not block those that do.
      queue.leave(run);
    }
    return switch (cause) {
      case NO_ROOM -> waitForPod(run, runClass, message, queue.refused(run, message));
      case FORBIDDEN -> waitForPod(run, runClass, message, PodRejection.FORBIDDEN_RETRY);
      case INVALID ->
          updates.end(
              run,
              Optional.empty(),
              Ending.notStarted(RunReason.StartFailed, "The Pod was rejected: " + message));
      case OTHER -> throw rejection;
    };
  }

  private UpdateControl<AnalyticsRun> waitInQueue(
      AnalyticsRun run, RunClass runClass, Duration retry) {
    if (queue.waitsBriefly(run)) {
      // A status for each run of a burst would delay all of them.
      return waitQueued(run, runClass, "", retry);
    }
    if (queue.waitsForNode(run)) {
      return waitQueued(run, runClass, "Queued behind other Pods that wait for a node", retry);
    }
    String refusal = queue.lastRefusal(run);
    return queue.isFirst(run)
        ? waitForPod(run, runClass, refusal, retry)
        : waitQueued(
            run,
            runClass,
            "Queued for room in the namespace's quota, behind other runs or datasets: " + refusal,
            retry);
  }

  private UpdateControl<AnalyticsRun> waitQueued(
      AnalyticsRun run, RunClass runClass, String message, Duration retry) {
    warm.await(run, runClass);
    return updates.waitForStart(run, Optional.empty(), runClass, RunReason.Queued, message, retry);
  }

  /**
   * In no other queue: it must not block runs of other classes in that of the quota, nor those that
   * have slots in that of its pool.
   */
  private UpdateControl<AnalyticsRun> waitForSlot(AnalyticsRun run, RunClass runClass) {
    queue.leave(run);
    warm.stopWaiting(run);
    return updates.waitForStart(
        run,
        Optional.empty(),
        runClass,
        RunReason.Queued,
        "Queued behind other runs of class '%s': at most %d of a namespace run at a time"
            .formatted(runClass.getMetadata().getName(), runClass.getSpec().concurrentRunsLimit()),
        SLOT_LOOK);
  }

  private UpdateControl<AnalyticsRun> waitForPod(
      AnalyticsRun run, RunClass runClass, String message) {
    return updates.waitForStart(run, Optional.empty(), runClass, RunReason.WaitingForPod, message);
  }

  private UpdateControl<AnalyticsRun> waitForPod(
      AnalyticsRun run, RunClass runClass, String message, Duration retry) {
    warm.await(run, runClass);
    return updates.waitForStart(
        run, Optional.empty(), runClass, RunReason.WaitingForPod, message, retry);
  }
}
