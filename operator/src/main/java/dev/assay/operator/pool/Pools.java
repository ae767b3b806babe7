package dev.assay.operator.pool;

import dev.assay.operator.config.OperatorConfig.WarmPoolsConfig;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/** Puts the pools together; the one place that knows all of their parts. */
public final class Pools {
  /** At once, of one namespace. */
  private static final int MAX_CHECKS = 32;

  /** At once, of one namespace. */
  private static final int MAX_DELETIONS = 16;

  private final WarmPods warmPods;
  private final PoolHistory history;
  private final PoolRoom room;
  private final PoolKeeper keeper;

  /**
   * Puts the pools together; nothing is started yet.
   *
   * @param resources what caches show
   * @param podsInUse the UIDs of the Pods that executions of this process have
   * @param datasetPods the cached Pods of all datasets, which may need the room of idle ones
   * @param answers hold up refills
   * @param statuses of the classes
   * @param keys sign what retires Pods
   * @param egress whether the network of a Pod is closed
   */
  public Pools(
      WarmPoolsConfig config,
      ServedNamespaces namespaces,
      PoolResources resources,
      Supplier<Set<String>> podsInUse,
      Supplier<Collection<Pod>> datasetPods,
      PoolTemplates templates,
      AwaitedAnswers answers,
      ClassStatusWriter statuses,
      RunnerPods pods,
      RunnerClient runners,
      SigningKeys keys,
      EgressCheck egress,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      Nodes nodes,
      ExecutorService threads,
      Clock clock) {
    PoolStarts starts = new PoolStarts(clock);
    PoolRunners asked = new PoolRunners(runners, new Retirement(runners, keys));
    this.warmPods = new WarmPods(clock);
    this.history = new PoolHistory(starts, clock);
    this.room = new PoolRoom(pods.queue(), warmPods.queue(), datasetPods, clock);
    PoolRemoval removal =
        new PoolRemoval(warmPods, asked, pods, new PodTasks(threads, MAX_DELETIONS), clock);
    PoolChecks checks =
        new PoolChecks(warmPods, starts, asked, egress, new PodTasks(threads, MAX_CHECKS), clock);
    this.keeper =
        new PoolKeeper(
            () -> PoolView.of(resources, podsInUse),
            warmPods,
            new PoolSurvey(
                namespaces,
                templates,
                new PoolCensus(warmPods, starts, checks, removal, nodes, clock),
                starts,
                history,
                clock),
            new PoolUpkeep(
                config,
                starts,
                new PoolRefill(resources, pods, userIds, networkPolicies, starts),
                removal,
                room,
                answers),
            statuses,
            clock);
  }

  /** The warm Pods, as this process knows them. */
  public WarmPods warmPods() {
    return warmPods;
  }

  /** Records the runs that look for a warm Pod. */
  public PoolHistory history() {
    return history;
  }

  /** Makes room for what runs and datasets lack. */
  public PoolRoom room() {
    return room;
  }

  /** Not started yet; must be started on the leader only, when the caches are complete. */
  public PoolKeeper keeper() {
    return keeper;
  }
}
