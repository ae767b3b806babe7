package dev.assay.operator.run;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.PodEvents;
import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StartAttempts;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides the next step of a run: refuse it, create its Pod, execute it, cancel it, clean up after
 * it. Never blocks: executions have threads of their own.
 */
@ControllerConfiguration(name = "analyticsrun", generationAwareEventProcessing = false)
public final class AnalyticsRunReconciler implements Reconciler<AnalyticsRun> {
  private static final Logger LOG = LoggerFactory.getLogger(AnalyticsRunReconciler.class);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration FORBIDDEN_RETRY = Duration.ofSeconds(10);
  private static final Duration POD_RETRY = Duration.ofSeconds(3);
  private static final Duration DELETION_RETRY = Duration.ofSeconds(15);
  private static final Duration STORE_RETRY = Duration.ofSeconds(10);
  private static final Duration CACHE_RETRY = Duration.ofSeconds(1);

  private final OperatorConfig config;
  private final SigningKeys keys;
  private final OutputStore outputs;
  private final RunnerPods pods;
  private final RunEvents events;
  private final PodEvents podEvents;
  private final RunCleanup cleanup;
  private final OutputCleanup outputCleanup;
  private final NetworkPolicies networkPolicies;
  private final StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses;
  private final RunDispatcher dispatcher;
  private final StartAttempts attempts;
  private final Clock clock;
  private final RunResources resources;
  private final RunUserIds userIds;

  public AnalyticsRunReconciler(
      OperatorConfig config,
      KubernetesClient client,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      OutputStore outputs,
      NetworkPolicies networkPolicies,
      EventRecorder recorder,
      ExecutorService threads,
      Clock clock) {
    this(
        config,
        client,
        new RunInformers(client),
        keys,
        runners,
        pods,
        outputs,
        networkPolicies,
        recorder,
        threads,
        clock);
  }

  AnalyticsRunReconciler(
      OperatorConfig config,
      KubernetesClient client,
      RunResources resources,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      OutputStore outputs,
      NetworkPolicies networkPolicies,
      EventRecorder recorder,
      ExecutorService threads,
      Clock clock) {
    this.config = config;
    this.keys = keys;
    this.outputs = outputs;
    this.networkPolicies = networkPolicies;
    this.attempts = new StartAttempts(clock);
    this.clock = clock;
    this.resources = resources;
    this.userIds = new RunUserIds(clock);
    resources.onPodEnded(pods.queue()::roomFreed);
    this.pods = pods;
    this.events = new RunEvents(recorder);
    this.podEvents = new PodEvents(client);
    this.statuses = new StatusWriter<>(client, AnalyticsRun.class);
    this.dispatcher =
        new RunDispatcher(
            new ExecutionServices(
                statuses,
                runners,
                outputs,
                pods,
                keys,
                new WholeObjects(client),
                events,
                threads,
                clock));
    this.outputCleanup =
        new OutputCleanup(client, resources, outputs, config.namespaceNames(), clock);
    this.cleanup =
        new RunCleanup(client, pods, outputs, Duration.ofSeconds(config.runTtlSeconds()), clock);
  }

  /** Not started yet; must be started on the leader only. */
  public OutputCleanup outputCleanup() {
    return outputCleanup;
  }

  @Override
  public List<EventSource<?, AnalyticsRun>> prepareEventSources(
      EventSourceContext<AnalyticsRun> context) {
    return resources.prepare(context);
  }

  @Override
  public UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run, Context<AnalyticsRun> context) {
    try {
      return reconcile(run);
    } catch (UncheckedIOException e) {
      return waitForOutputStore(run, e);
    }
  }

  private UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run) {
    if (!mayBeQueued(run)) {
      leaveQueue(run);
    }
    if (RunState.isFinal(run)) {
      return cleanUp(run);
    }
    Optional<RunExecution> execution = dispatcher.find(run);
    if (execution.isPresent()) {
      execution.get().podChanged();
      if (run.getSpec().cancelRequested()) {
        execution.get().cancel();
      }
      return UpdateControl.noUpdate();
    }
    Optional<Pod> pod = resources.pod(run);
    if (RunState.isBound(run)) {
      return resume(run, pod);
    }
    if (run.getSpec().cancelRequested()) {
      return end(
          run,
          pod,
          Ending.startUnknown(RunReason.Cancelled, "The run was cancelled on request", null));
    }
    return pod.isEmpty() ? admit(run) : start(run, pod.get());
  }

  /** The stored output of a bound run is part of its ending, which waits until it can be read. */
  private UpdateControl<AnalyticsRun> waitForOutputStore(
      AnalyticsRun run, UncheckedIOException failure) {
    String message = StoreOutage.message(outputs, failure);
    if (RunTransitions.outputStoreUnavailable(run, message, clock.instant()).isPresent()) {
      LOG.warn("Output of run {} cannot be read. {}", run.getMetadata().getName(), message);
      events.outputStoreUnavailable(run, message);
      statuses
          .update(
              run,
              current -> RunTransitions.outputStoreUnavailable(current, message, clock.instant()))
          .ifPresent(written -> resources.runWritten(run, written));
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(STORE_RETRY);
  }

  /** Whether a run may be in the queue for its Pod. */
  private boolean mayBeQueued(AnalyticsRun run) {
    return !RunState.isFinal(run)
        && !run.getSpec().cancelRequested()
        && !RunState.isBound(run)
        && resources.pod(run).isEmpty();
  }

  private UpdateControl<AnalyticsRun> admit(AnalyticsRun run) {
    RunClass runClass = resources.runClass(run);
    String namespace = run.getMetadata().getNamespace();
    pods.queue()
        .rebuild(
            namespace,
            () -> resources.waitingForRoom(namespace).stream().map(this::waiting).toList());
    if (runClass != null && pods.queue().contains(namespace, run.getMetadata().getUid())) {
      // Its datasets are not read before it is first in the queue.
      Optional<Duration> wait = pods.queue().turn(namespace, waiting(run));
      if (wait.isPresent()) {
        return waitInQueue(run, runClass, wait.get());
      }
    }
    RunAdmission.Decision decision =
        RunAdmission.decide(
            run, runClass, name -> resources.dataset(run, name), resources::runClasses);
    if (!(decision instanceof RunAdmission.Admitted)) {
      leaveQueue(run);
    }
    return switch (decision) {
      case RunAdmission.Refused refused -> refuse(run, Optional.empty(), refused);
      case RunAdmission.WaitForDataset wait ->
          waitForStart(
              run,
              Optional.empty(),
              requireNonNull(runClass),
              RunReason.DatasetNotReady,
              wait.message());
      case RunAdmission.Admitted admitted -> createPod(run, requireNonNull(runClass), admitted);
    };
  }

  private PodQueue.Waiting waiting(AnalyticsRun run) {
    return new PodQueue.Waiting(
        run.getMetadata().getUid(),
        RunState.created(run),
        () -> resources.isOpen(run),
        () -> resources.reconcileAgain(run));
  }

  private void leaveQueue(AnalyticsRun run) {
    pods.queue().leave(run.getMetadata().getNamespace(), run.getMetadata().getUid());
  }

  private UpdateControl<AnalyticsRun> waitInQueue(
      AnalyticsRun run, RunClass runClass, Duration wait) {
    String namespace = run.getMetadata().getNamespace();
    String refusal = pods.queue().lastRefusal(namespace, run.getMetadata().getUid());
    UpdateControl<AnalyticsRun> control =
        pods.queue().isFirst(namespace, run.getMetadata().getUid())
            ? waitForStart(run, Optional.empty(), runClass, RunReason.WaitingForPod, refusal)
            : waitForStart(
                run,
                Optional.empty(),
                runClass,
                RunReason.Queued,
                "Queued for room in the namespace's quota, behind older runs or datasets: "
                    + refusal);
    return soonest(control, wait);
  }

  private UpdateControl<AnalyticsRun> refuse(
      AnalyticsRun run, Optional<Pod> pod, RunAdmission.Refused refused) {
    return end(run, pod, Ending.notStarted(refused.reason(), refused.message()));
  }

  /** Starts a run that has a Pod but is not bound to it yet. */
  private UpdateControl<AnalyticsRun> start(AnalyticsRun run, Pod pod) {
    RunClass found = resources.runClass(run);
    Optional<RunAdmission.Refused> refused = RunAdmission.refusal(run, found);
    if (refused.isPresent()) {
      return refuse(run, Optional.of(pod), refused.get());
    }
    RunClass runClass = requireNonNull(found);
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      return waitForDeletion(run, pod, runClass);
    }
    if (PodState.isTerminal(pod) && PodState.mayBeReplaced(pod)) {
      return replacePod(run, pod, runClass);
    }
    if (PodState.isTerminal(pod)) {
      return replaceFailedPod(run, pod, runClass);
    }
    if (RunUserIds.sharedWithOlder(pod, resources.pods())) {
      return replacePod(run, pod, runClass);
    }
    if (PodState.isReachable(pod)) {
      execute(run, pod, limits(run, pod).orElseThrow());
      return UpdateControl.noUpdate();
    }
    return waitForStart(
        run,
        Optional.of(pod),
        runClass,
        RunReason.WaitingForPod,
        PodState.waitingReason(pod).orElse(""));
  }

  /**
   * Replaces a Pod that ended by itself before the run was bound to it, up to a maximum number of
   * attempts.
   */
  private UpdateControl<AnalyticsRun> replaceFailedPod(
      AnalyticsRun run, Pod pod, RunClass runClass) {
    String cause = PodState.terminationReason(pod);
    Optional<String> message =
        PodState.workerOutOfMemory(pod)
            ? Optional.empty()
            : retryMessage(run, pod, runClass, "its Pod ended before the run was bound: " + cause);
    if (message.isEmpty()) {
      return end(
          run,
          Optional.of(pod),
          Ending.notStarted(RunReason.StartFailed, "The Pod ended: " + cause));
    }
    pods.delete(pod);
    return waitForStart(run, Optional.of(pod), runClass, RunReason.WaitingForPod, message.get());
  }

  /** The message for a run that gets another Pod; empty if it gets none. */
  private Optional<String> retryMessage(
      AnalyticsRun run, Pod pod, @Nullable RunClass runClass, String cause) {
    if (runClass == null) {
      return Optional.empty();
    }
    String uid = run.getMetadata().getUid();
    return attempts
        .failed(uid, pod.getMetadata().getUid(), untilPendingDeadline(run, runClass))
        .map(
            backoff ->
                "No code has run; creating another Pod in %d s (attempt %d of %d): %s"
                    .formatted(
                        backoff.toSeconds(),
                        attempts.count(uid) + 1,
                        StartAttempts.MAX_ATTEMPTS,
                        cause));
  }

  /**
   * Waits because the next Pod has the same name. The kubelet of a lost node does not confirm a
   * deletion.
   */
  private UpdateControl<AnalyticsRun> waitForDeletion(
      AnalyticsRun run, Pod pod, RunClass runClass) {
    if (PodState.deletionOverdue(pod, clock.instant())) {
      pods.forceDelete(pod);
    }
    return soonest(
        waitForStart(
            run,
            Optional.of(pod),
            runClass,
            RunReason.WaitingForPod,
            "The Pod is being deleted and will be replaced"),
        DELETION_RETRY);
  }

  private static UpdateControl<AnalyticsRun> soonest(
      UpdateControl<AnalyticsRun> control, Duration other) {
    return control.getScheduleDelay().filter(delay -> delay <= other.toMillis()).isPresent()
        ? control
        : control.rescheduleAfter(other);
  }

  /** The next Pod is created once this one is deleted, at most every few seconds. */
  private UpdateControl<AnalyticsRun> replacePod(AnalyticsRun run, Pod pod, RunClass runClass) {
    Instant created = Instant.parse(pod.getMetadata().getCreationTimestamp());
    Duration wait = Duration.between(clock.instant(), created.plus(POD_RETRY));
    UpdateControl<AnalyticsRun> control =
        waitForStart(
            run,
            Optional.of(pod),
            runClass,
            RunReason.WaitingForPod,
            PodState.terminationReason(pod));
    if (wait.isPositive()) {
      return control.rescheduleAfter(wait);
    }
    pods.delete(pod);
    return control;
  }

  /** Resumes a bound run whose execution ended with an earlier operator process. */
  private UpdateControl<AnalyticsRun> resume(AnalyticsRun run, Optional<Pod> pod) {
    BoundPod binding = requireNonNull(RunState.statusOf(run).pod());
    Optional<Pod> bound = pod.filter(found -> found.getMetadata().getUid().equals(binding.uid()));
    if (bound.filter(PodState::isReachable).isEmpty()) {
      return endIfPodGone(run, binding);
    }
    Optional<RunLimits> limits = limits(run, bound.get());
    if (limits.isEmpty()) {
      return end(
          run,
          bound,
          Ending.startUnknown(
              RunReason.RunnerLost,
              "The class was deleted during the run",
              StoredOutput.result(outputs, run)));
    }
    execute(run, bound.get(), limits.get());
    if (run.getSpec().cancelRequested()) {
      // Its runner stops the code, and the output that it still holds is stored.
      dispatcher.find(run).ifPresent(RunExecution::cancel);
    }
    return UpdateControl.noUpdate();
  }

  /** The limits that the Pod was created with, or if it has none, those of its class. */
  private Optional<RunLimits> limits(AnalyticsRun run, Pod pod) {
    return RunLimits.of(pod)
        .or(
            () ->
                Optional.ofNullable(resources.runClass(run))
                    .map(runClass -> RunLimits.of(run.getSpec(), runClass.getSpec())));
  }

  /**
   * A run that another operator process has bound may be visible before its Pod, because they have
   * different watches. So the Pod is read from the API server before the run is ended.
   */
  private UpdateControl<AnalyticsRun> endIfPodGone(AnalyticsRun run, BoundPod binding) {
    Optional<Pod> pod = pods.read(run.getMetadata().getNamespace(), binding.name(), binding.uid());
    if (pod.filter(PodState::isReachable).isPresent()) {
      return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    String memory = pod.flatMap(found -> limits(run, found)).map(RunLimits::memory).orElse("");
    Ending ending = Endings.podEnded(pod.orElse(null), memory, StoredOutput.result(outputs, run));
    return end(run, pod, run.getSpec().cancelRequested() ? ending.cancelled() : ending);
  }

  private UpdateControl<AnalyticsRun> createPod(
      AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    Duration left = untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      return waitForStart(
          run, Optional.empty(), runClass, RunReason.WaitingForPod, RunState.waitsFor(run));
    }
    Duration backoff = attempts.backoff(run.getMetadata().getUid());
    if (backoff.isPositive()) {
      leaveQueue(run);
      return UpdateControl.<AnalyticsRun>noUpdate()
          .rescheduleAfter(backoff.compareTo(left) < 0 ? backoff : left);
    }
    String namespace = run.getMetadata().getNamespace();
    Optional<Duration> wait = pods.queue().turn(namespace, waiting(run));
    if (wait.isPresent()) {
      return waitInQueue(run, runClass, wait.get());
    }
    RunNamespace runNamespace = config.namespace(namespace).orElseThrow();
    Optional<PodUsers> users =
        userIds.reserve(RunPodRequest.podName(run), runNamespace.userIdRange(), resources.pods());
    if (users.isEmpty()) {
      leaveQueue(run);
      return waitForStart(
              run,
              Optional.empty(),
              runClass,
              RunReason.WaitingForPod,
              "All user ids of namespace " + namespace + " are in use")
          .rescheduleAfter(POD_RETRY);
    }
    networkPolicies.ensure(namespace);
    try {
      pods.create(
              RunPodRequest.pod(
                  run,
                  runNamespace,
                  runClass,
                  admitted,
                  users.get(),
                  keys.current().publicKeyEntry(),
                  START_TIMEOUT))
          .ifPresent(pod -> podCreated(run, pod));
    } catch (KubernetesClientException e) {
      if (ApiErrors.quotaExceeded(e)) {
        String words = ApiErrors.message(e);
        Duration retry = pods.queue().refused(namespace, waiting(run), words);
        return soonest(
            waitForStart(run, Optional.empty(), runClass, RunReason.WaitingForPod, words), retry);
      }
      // It does not wait for room in the quota, and must not block those that do.
      leaveQueue(run);
      if (ApiErrors.forbidden(e)) {
        // Such as an admission policy, which does not affect other Pods.
        return soonest(
            waitForStart(
                run, Optional.empty(), runClass, RunReason.WaitingForPod, ApiErrors.message(e)),
            FORBIDDEN_RETRY);
      }
      if (ApiErrors.invalid(e)) {
        return end(
            run,
            Optional.empty(),
            Ending.notStarted(
                RunReason.StartFailed, "The Pod was rejected: " + ApiErrors.message(e)));
      }
      throw e;
    }
    leaveQueue(run);
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(left);
  }

  private void podCreated(AnalyticsRun run, Pod pod) {
    resources.podCreated(pod);
    events.podCreated(run, pod.getMetadata().getName());
  }

  private void execute(AnalyticsRun run, Pod pod, RunLimits limits) {
    PodView view = new PodView(() -> resources.pod(run), pod.getMetadata().getUid());
    dispatcher.execute(
        new ExecutionRequest(
            run,
            pod,
            limits,
            START_TIMEOUT,
            cause -> retryMessage(run, pod, resources.runClass(run), cause)),
        view,
        () -> resources.reconcileAgain(run));
  }

  /** The run waits, with this reason in its status, until its pending deadline. */
  private UpdateControl<AnalyticsRun> waitForStart(
      AnalyticsRun run, Optional<Pod> pod, RunClass runClass, RunReason reason, String message) {
    Duration left = untilPendingDeadline(run, runClass);
    if (left.isZero()) {
      String words = message.isEmpty() ? pod.flatMap(podEvents::lastWarning).orElse("") : message;
      return end(
          run,
          pod,
          Ending.notStarted(
              RunReason.StartFailed,
              "The run did not start within "
                  + runClass.getSpec().timeouts().pendingSeconds()
                  + " s"
                  + (words.isEmpty() ? "" : ": " + words)));
    }
    if (!message.isEmpty() && RunTransitions.waiting(run, reason, message).isPresent()) {
      statuses
          .update(run, current -> RunTransitions.waiting(current, reason, message))
          .ifPresent(written -> resources.runWritten(run, written));
      events.waiting(run, reason, message);
    }
    return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(left);
  }

  private UpdateControl<AnalyticsRun> end(AnalyticsRun run, Optional<Pod> pod, Ending ending) {
    Optional<AnalyticsRun> written =
        statuses.update(
            run,
            current ->
                RunState.isAsBound(current, run)
                    ? RunTransitions.finished(current, ending, null, clock.instant())
                    : Optional.empty());
    if (written.isPresent() && !RunState.isFinal(written.get())) {
      // The cache was stale: the decision does not apply to the current run.
      return UpdateControl.<AnalyticsRun>noUpdate().rescheduleAfter(CACHE_RETRY);
    }
    leaveQueue(run);
    outputs.complete(run.getMetadata().getNamespace(), run.getMetadata().getUid());
    events.ended(run, ending);
    pod.ifPresent(pods::delete);
    return UpdateControl.noUpdate();
  }

  private UpdateControl<AnalyticsRun> cleanUp(AnalyticsRun run) {
    dispatcher.forget(run.getMetadata().getUid());
    attempts.forget(run.getMetadata().getUid());
    RunClass runClass = resources.runClass(run);
    Duration podRetention = runClass == null ? Duration.ZERO : runClass.getSpec().podRetention();
    UpdateControl<AnalyticsRun> control = UpdateControl.noUpdate();
    cleanup.clean(run, resources.pod(run), podRetention).ifPresent(control::rescheduleAfter);
    return control;
  }

  private Duration untilPendingDeadline(AnalyticsRun run, RunClass runClass) {
    Instant deadline =
        RunState.created(run).plusSeconds(runClass.getSpec().timeouts().pendingSeconds());
    Duration left = Duration.between(clock.instant(), deadline);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
