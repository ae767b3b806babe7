package dev.assay.operator.run;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.egress.NetworkCondition;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.NetworkPolicies;
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
import dev.assay.operator.pool.AwaitedAnswers;
import dev.assay.operator.pool.ClassStatusWriter;
import dev.assay.operator.pool.PoolKeeper;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.Pools;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.cleanup.EarlyRemoval;
import dev.assay.operator.run.cleanup.OrphanedOutput;
import dev.assay.operator.run.cleanup.OutputCleanup;
import dev.assay.operator.run.cleanup.OutputExcess;
import dev.assay.operator.run.cleanup.OutputIndexes;
import dev.assay.operator.run.cleanup.RunCleanup;
import dev.assay.operator.run.cluster.ClassImages;
import dev.assay.operator.run.cluster.CurrentSnapshots;
import dev.assay.operator.run.cluster.RunInformers;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.ExecutionServices;
import dev.assay.operator.run.execution.RunDispatcher;
import dev.assay.operator.run.execution.WarmRefusals;
import dev.assay.operator.run.placement.FirstSeen;
import dev.assay.operator.run.placement.OutputStoreWait;
import dev.assay.operator.run.placement.OwnPods;
import dev.assay.operator.run.placement.PodCreation;
import dev.assay.operator.run.placement.PodReplacement;
import dev.assay.operator.run.placement.PodUserIds;
import dev.assay.operator.run.placement.RunEndings;
import dev.assay.operator.run.placement.RunExecutions;
import dev.assay.operator.run.placement.RunPodTemplate;
import dev.assay.operator.run.placement.RunResumption;
import dev.assay.operator.run.placement.RunStatusUpdates;
import dev.assay.operator.run.placement.RunTurns;
import dev.assay.operator.run.placement.StartRetries;
import dev.assay.operator.run.placement.UnboundPods;
import dev.assay.operator.run.placement.UnboundRuns;
import dev.assay.operator.run.placement.UnplacedRuns;
import dev.assay.operator.run.placement.UnschedulableRuns;
import dev.assay.operator.run.placement.WarmClaim;
import dev.assay.operator.run.placement.WarmStarts;
import dev.assay.operator.run.placement.WarmWaiting;
import dev.assay.operator.run.queue.ClassSlots;
import dev.assay.operator.run.queue.NodeSlots;
import dev.assay.operator.run.queue.RunGauges;
import dev.assay.operator.run.queue.RunQueue;
import dev.assay.operator.run.results.ArtifactTransfer;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunMetrics;
import dev.assay.operator.run.status.RunStatusWriter;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.tool.ToolCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Puts the steps of the run path together; the one place that knows all of them. */
public final class RunPath {
  private final AnalyticsRunReconciler reconciler;
  private final OutputCleanup outputCleanup;
  private final PoolKeeper pools;
  private final RunGauges gauges;

  /**
   * Puts the run path together; nothing is started yet.
   *
   * @param namespaces those that are served
   * @param egressTarget what run Pods must be refused at
   * @param datasetPods the cached Pods of all datasets, which may need the room of idle ones
   */
  public RunPath(
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
        new AwaitedAnswers(clock, RunStatusWriter.SHORT_RUN),
        networkPolicies,
        nodes,
        recorder,
        datasetPods,
        metrics,
        threads,
        clock);
  }

  RunPath(
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
      AwaitedAnswers answers,
      NetworkPolicies networkPolicies,
      Nodes nodes,
      EventRecorder recorder,
      Supplier<Collection<Pod>> datasetPods,
      ProgramMetrics metrics,
      ExecutorService threads,
      Clock clock) {
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
                answers,
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
    Pools warm =
        new Pools(
            config.warmPools(),
            namespaces,
            resources,
            dispatcher::podUids,
            datasetPods,
            templates,
            answers,
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
    this.pools = warm.keeper();
    RunQueue queue = new RunQueue(pods.queue(), nodeSlots, resources);
    RunEndings endings = new RunEndings(statuses, queue, pods, outputs, events, clock);
    RunStatusUpdates updates =
        new RunStatusUpdates(statuses, resources, new PodEvents(client), events, endings, clock);
    StartRetries retries = new StartRetries(new StartAttempts(clock), updates);
    RunExecutions executions =
        new RunExecutions(dispatcher, resources, retries, new FirstSeen(clock), updates);
    WarmWaiting waiting = new WarmWaiting(templates, warm.warmPods(), refusals, resources);
    WarmStarts warmStarts =
        new WarmStarts(
            config,
            resources,
            queue,
            new WarmClaim(waiting, templates, warm.warmPods(), warm.history(), networkPolicies),
            waiting,
            executions);
    RunTurns turns = new RunTurns(queue, classSlots, warmStarts, updates);
    OwnPods own =
        new OwnPods(
            new RunPodTemplate(config, keys, egressTarget),
            new PodUserIds(userIds, resources, warm.room()),
            resources,
            networkPolicies,
            pods,
            events);
    UnboundRuns unbound =
        new UnboundRuns(
            new UnplacedRuns(
                resources,
                turns,
                warmStarts,
                new PodCreation(turns, warmStarts, own, retries, updates, endings),
                updates,
                endings),
            new UnboundPods(
                resources,
                new PodReplacement(pods, retries, updates, endings, clock),
                new UnschedulableRuns(queue, pods, retries, warmStarts, updates),
                executions,
                updates,
                endings),
            endings);
    RunResumption resumption =
        new RunResumption(
            pods,
            outputs,
            executions,
            endings,
            tools,
            new OutputStoreWait(statuses, resources, outputs, events, clock));
    RunCleanup cleanup =
        new RunCleanup(client, pods, outputs, Duration.ofSeconds(config.runTtlSeconds()), clock);
    this.reconciler =
        new AnalyticsRunReconciler(resources, turns, unbound, executions, resumption, cleanup);
    EarlyRemoval earlyRemoval =
        new EarlyRemoval(
            resources,
            cleanup,
            events,
            config.maxRunsPerNamespace(),
            EarlyRemoval.counter(metrics, config.namespaceNames()),
            clock);
    this.outputCleanup =
        new OutputCleanup(
            namespaces.names(),
            List.of(
                new OutputIndexes(outputs, clock)::load,
                new OrphanedOutput(client, resources, outputs)::remove,
                earlyRemoval::remove,
                excess::removeOfCache,
                excess::remove,
                tools::removeDefinitions));
    this.gauges = new RunGauges(config.namespaceNames(), resources, classSlots, queue, clock);
  }

  /** Decides what is next for a run. */
  public AnalyticsRunReconciler reconciler() {
    return reconciler;
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
}
