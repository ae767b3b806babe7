package dev.assay.operator.run;

import dev.assay.api.logging.LogContext;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.egress.NetworkCondition;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.NewerObjects;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.PodEvents;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.kubernetes.StartAttempts;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.ClassStatusWriter;
import dev.assay.operator.pool.PoolHistory;
import dev.assay.operator.pool.PoolKeeper;
import dev.assay.operator.pool.PoolRoom;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.WarmPods;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.cleanup.EarlyRemoval;
import dev.assay.operator.run.cleanup.OutputCleanup;
import dev.assay.operator.run.cleanup.OutputExcess;
import dev.assay.operator.run.cleanup.RunCleanup;
import dev.assay.operator.run.cluster.ClassImages;
import dev.assay.operator.run.cluster.CurrentSnapshots;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.cluster.RunInformers;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.ExecutionServices;
import dev.assay.operator.run.execution.RunDispatcher;
import dev.assay.operator.run.execution.RunExecution;
import dev.assay.operator.run.execution.RunLines;
import dev.assay.operator.run.execution.WarmRefusals;
import dev.assay.operator.run.placement.FirstSeen;
import dev.assay.operator.run.placement.PodCreation;
import dev.assay.operator.run.placement.RunExecutions;
import dev.assay.operator.run.placement.RunResumption;
import dev.assay.operator.run.placement.RunStatusUpdates;
import dev.assay.operator.run.placement.StartRetries;
import dev.assay.operator.run.placement.UnboundPods;
import dev.assay.operator.run.placement.WarmClaim;
import dev.assay.operator.run.placement.WarmStarts;
import dev.assay.operator.run.queue.ClassSlots;
import dev.assay.operator.run.queue.NodeSlots;
import dev.assay.operator.run.queue.RunGauges;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.queue.UndecidedRuns;
import dev.assay.operator.run.results.ArtifactTransfer;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunMetrics;
import dev.assay.operator.run.status.RunState;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Decides the next step of a run: create its Pod, start it, resume it, cancel it, clean up after
 * it. Never blocks: executions have threads of their own.
 */
@ControllerConfiguration(name = "analyticsrun", generationAwareEventProcessing = false)
public final class AnalyticsRunReconciler implements Reconciler<AnalyticsRun> {

  private final RunResources resources;
  private final RunQueue queue;
  private final ClassSlots slots;
  private final RunStatusUpdates updates;
  private final StartRetries retries;
  private final RunExecutions executions;
  private final UndecidedRuns undecided;
  private final FirstSeen firstSeen;
  private final WarmStarts warm;
  private final PodCreation creation;
  private final UnboundPods unbound;
  private final RunResumption resumption;
  private final RunCleanup cleanup;
  private final OutputCleanup outputCleanup;
  private final PoolKeeper pools;
  private final RunGauges gauges;

  /**
   * Creates a reconciler.
   *
   * @param namespaces those that are served
   * @param egressTarget what run Pods must be refused at
   * @param datasetPods the cached Pods of all datasets, which may need the room of idle ones
   */
  public AnalyticsRunReconciler(
      OperatorConfig config,
      ServedNamespaces namespaces,
      KubernetesClient client,
      SigningKeys keys,
      EgressTarget egressTarget,
      RunnerClient runners,
      RunnerPods pods,
      RunOutputs outputs,
      ToolCalls tools,
      NetworkPolicies networkPolicies,
      Nodes nodes,
      EventRecorder recorder,
      Supplier<Collection<Pod>> datasetPods,
      ProgramMetrics metrics,
      ExecutorService threads,
      Clock clock) {
    this(
        config,
        namespaces,
        client,
        new RunInformers(client),
        keys,
        egressTarget,
        runners,
        pods,
        outputs,
        tools,
        networkPolicies,
        nodes,
        recorder,
        datasetPods,
        metrics,
        threads,
        clock);
  }

  AnalyticsRunReconciler(
      OperatorConfig config,
      ServedNamespaces namespaces,
      KubernetesClient client,
      RunResources resources,
      SigningKeys keys,
      EgressTarget egressTarget,
      RunnerClient runners,
      RunnerPods pods,
      RunOutputs outputs,
      ToolCalls tools,
      NetworkPolicies networkPolicies,
      Nodes nodes,
      EventRecorder recorder,
      Supplier<Collection<Pod>> datasetPods,
      ProgramMetrics metrics,
      ExecutorService threads,
      Clock clock) {
    this.undecided = new UndecidedRuns(resources::isActive, clock);
    ClassSlots classSlots = new ClassSlots(resources);
    NodeSlots nodeSlots = new NodeSlots(resources, pods.unschedulable(), clock);
    resources.onPodEnded(
        namespace -> {
          pods.queue().roomFreed(namespace);
          classSlots.podEnded(namespace);
          nodeSlots.podEnded(namespace);
        });
    StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses =
        new StatusWriter<>(client, AnalyticsRun.class, new RunMetrics(metrics)::written);
    RunEvents events = new RunEvents(recorder);
    EgressCheck egress = new EgressCheck(runners, egressTarget, networkPolicies, recorder, clock);
    UserIds userIds = new UserIds(clock);
    PoolTemplates templates = new PoolTemplates(keys, egressTarget, RunLimits::ofWarmPod);
    WarmPods warmPods = new WarmPods(clock);
    PoolHistory history = new PoolHistory(clock);
    PoolRoom room = new PoolRoom(pods.queue(), datasetPods, clock);
    WarmRefusals refusals = new WarmRefusals(clock);
    OutputExcess excess = new OutputExcess(resources, outputs, config.outputStore());
    RunDispatcher dispatcher =
        new RunDispatcher(
            new ExecutionServices(
                statuses,
                runners,
                egress,
                outputs,
                new ArtifactTransfer(runners, outputs, excess::remove, clock),
                tools,
                pods,
                keys,
                new WholeObjects(client),
                new CurrentSnapshots(
                    (run, name) -> resources.dataset(run, name).flatMap(PinnedSnapshot::of),
                    threads),
                new ClassImages(client, resources::runClasses, clock),
                events,
                refusals,
                resources::runWritten,
                () -> UUID.randomUUID().toString(),
                threads,
                clock));
    resources.onPodChanged(
        pod -> {
          if (PodState.isAdopted(pod)) {
            nodeSlots.podChanged(pod);
          } else {
            // It belongs to its class: no change of it triggers a reconcile of the run that has it.
            dispatcher.podChanged(pod.getMetadata().getUid());
          }
        });
    this.pools =
        new PoolKeeper(
            namespaces,
            config.warmPools(),
            resources,
            dispatcher::podUids,
            templates,
            warmPods,
            history,
            room,
            new ClassStatusWriter(
                client,
                new NetworkCondition(namespaces.names(), egress::latest, clock),
                threads,
                clock),
            pods,
            runners,
            keys,
            egress,
            userIds,
            networkPolicies,
            nodes,
            threads,
            clock);
    this.resources = resources;
    this.queue = new RunQueue(pods.queue(), nodeSlots, undecided, resources);
    this.slots = classSlots;
    this.updates =
        new RunStatusUpdates(
            statuses, resources, queue, pods, new PodEvents(client), outputs, events, clock);
    this.firstSeen = new FirstSeen(clock);
    this.retries = new StartRetries(new StartAttempts(clock), updates);
    this.executions = new RunExecutions(dispatcher, resources, retries, firstSeen, updates);
    this.warm =
        new WarmStarts(
            config,
            resources,
            queue,
            new WarmClaim(
                templates, warmPods, history, refusals, undecided, resources, networkPolicies),
            executions);
    this.creation =
        new PodCreation(
            config,
            resources,
            queue,
            slots,
            retries,
            userIds,
            networkPolicies,
            keys,
            egressTarget,
            pods,
            updates,
            events,
            warm,
            room,
            executions);
    this.unbound =
        new UnboundPods(resources, queue, pods, retries, executions, warm, updates, clock);
    this.resumption = new RunResumption(pods, outputs, executions, updates, tools);
    this.cleanup =
        new RunCleanup(client, pods, outputs, Duration.ofSeconds(config.runTtlSeconds()), clock);
    EarlyRemoval earlyRemoval =
        new EarlyRemoval(
            resources,
            cleanup,
            events,
            config.namespaceNames(),
            config.maxRunsPerNamespace(),
            metrics,
            clock);
    this.outputCleanup =
        new OutputCleanup(
            client,
            resources,
            outputs,
            tools::removeDefinitions,
            namespaces.names(),
            config.outputStore(),
            earlyRemoval,
            clock);
    this.gauges = new RunGauges(config.namespaceNames(), resources, slots, queue, clock);
  }

  /** Not started yet; must be started on the leader only, when the caches are complete. */
  public OutputCleanup outputCleanup() {
    return outputCleanup;
  }

  /** Not started yet; must be started on the leader only, when the caches are complete. */
  public PoolKeeper pools() {
    return pools;
  }

  /**
   * Has metrics show the runs that there are.
   *
   * @param leads whether this replica leads
   */
  public void bindTo(ProgramMetrics metrics, BooleanSupplier leads) {
    gauges.bindTo(metrics, leads);
  }

  @Override
  public List<EventSource<?, AnalyticsRun>> prepareEventSources(
      EventSourceContext<AnalyticsRun> context) {
    return resources.prepare(context);
  }

  /** The watch has added a run; must be called before the run is reconciled. */
  public void added(AnalyticsRun run) {
    undecided.add(run);
  }

  @Override
  public UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run, Context<AnalyticsRun> context) {
    try (LogContext _ = RunLines.about(run)) {
      return reconcile(run);
    } catch (UncheckedIOException e) {
      return updates.waitForOutputStore(run, e);
    }
  }

  private UpdateControl<AnalyticsRun> reconcile(AnalyticsRun run) {
    if (NewerObjects.isNewer(run)) {
      return leave(run);
    }
    Optional<Pod> pod = PodOfRun.find(run, podsOf(run));
    boolean waitsForPod = !RunState.isFinal(run) && !RunState.isBound(run) && pod.isEmpty();
    if (!waitsForPod || run.getSpec().cancelRequested()) {
      queue.leave(run);
      slots.stopWaiting(run);
    }
    if (!mayWaitForWarmPod(run, pod)) {
      warm.stopWaiting(run);
    }
    if (RunState.isFinal(run)) {
      return cleanUp(run);
    }
    cleanup.removeSuperseded(run, PodOfRun.superseded(run, podsOf(run)));
    var unused = firstSeen.see(run);
    Optional<RunExecution> execution = executions.find(run);
    if (execution.isPresent()) {
      return update(execution.get(), run);
    }
    if (RunState.isBound(run)) {
      return resumption.resume(run, pod);
    }
    if (run.getSpec().cancelRequested()) {
      return updates.end(
          run,
          pod,
          Ending.startUnknown(RunReason.Cancelled, "The run was cancelled on request", null));
    }
    return pod.isEmpty() ? creation.admit(run) : unbound.start(run, pod.get());
  }

  /** Whatever a newer operator has begun with it, its Pods and its output stay as they are. */
  private UpdateControl<AnalyticsRun> leave(AnalyticsRun run) {
    queue.leave(run);
    slots.stopWaiting(run);
    warm.stopWaiting(run);
    return UpdateControl.noUpdate();
  }

  private static boolean mayWaitForWarmPod(AnalyticsRun run, Optional<Pod> pod) {
    return !RunState.isFinal(run)
        && !RunState.isBound(run)
        && !run.getSpec().cancelRequested()
        && pod.filter(own -> !PodState.isUnschedulable(own)).isEmpty();
  }

  /** The run or its Pod has changed during the execution. */
  private static UpdateControl<AnalyticsRun> update(RunExecution execution, AnalyticsRun run) {
    execution.podChanged();
    if (run.getSpec().cancelRequested()) {
      execution.cancel();
    }
    return UpdateControl.noUpdate();
  }

  private UpdateControl<AnalyticsRun> cleanUp(AnalyticsRun run) {
    slots.leave(run);
    executions.forget(run);
    firstSeen.forget(run);
    retries.forget(run);
    RunClass runClass = resources.runClass(run);
    Duration podRetention = runClass == null ? Duration.ZERO : runClass.getSpec().podRetention();
    UpdateControl<AnalyticsRun> control = UpdateControl.noUpdate();
    cleanup
        .clean(
            run,
            PodOfRun.leftover(run, podsOf(run)),
            PodOfRun.superseded(run, podsOf(run)),
            podRetention)
        .ifPresent(control::rescheduleAfter);
    return control;
  }

  private Function<String, Optional<Pod>> podsOf(AnalyticsRun run) {
    return name -> resources.pod(run.getMetadata().getNamespace(), name);
  }
}
