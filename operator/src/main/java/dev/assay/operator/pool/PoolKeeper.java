package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.runner.RunnerClient;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every pool filled, and removes its Pods that are too old or of an earlier template. Runs on
 * the leader only, which takes over the idle Pods of the one before.
 */
public final class PoolKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);
  private static final Duration INTERVAL = Duration.ofMillis(250);

  private final OperatorConfig config;
  private final PoolResources resources;
  private final PoolTemplates templates;
  private final WarmPods warmPods;
  private final PoolRefill refill;
  private final PoolChecks checks;
  private final Clock clock;
  private volatile boolean synced;
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("pool-keeper").factory());

  PoolKeeper(
      OperatorConfig config,
      PoolResources resources,
      PoolTemplates templates,
      WarmPods warmPods,
      PoolRefill refill,
      PoolChecks checks,
      Clock clock) {
    this.config = config;
    this.resources = resources;
    this.templates = templates;
    this.warmPods = warmPods;
    this.refill = refill;
    this.checks = checks;
    this.clock = clock;
  }

  /** A keeper that is not started yet. */
  public static PoolKeeper of(
      OperatorConfig config,
      PoolResources resources,
      PoolTemplates templates,
      WarmPods warmPods,
      RunnerPods pods,
      RunnerClient runners,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      ExecutorService threads,
      Clock clock) {
    return new PoolKeeper(
        config,
        resources,
        templates,
        warmPods,
        new PoolRefill(resources, pods, userIds, networkPolicies, clock),
        new PoolChecks(warmPods, runners, pods, threads, clock),
        clock);
  }

  /** Starts to keep the pools; must be called on the leader only. */
  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::keepQuietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** Says that the caches are complete: before, each Pod would be missing. */
  public void cachesAreSynced() {
    synced = true;
  }

  private void keepQuietly() {
    if (!synced) {
      return;
    }
    try {
      keep();
    } catch (RuntimeException e) {
      // Most likely a temporary failure of the API server; the next round tries again.
      LOG.warn("The warm pools could not be kept: {}", e.toString());
    }
  }

  /** One round. */
  void keep() {
    List<Pod> members = PoolMembers.unused(resources.pods());
    Set<String> uids =
        members.stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet());
    warmPods.keepOnly(uids);
    checks.keepOnly(uids);
    Set<String> current =
        config.namespaces().stream()
            .flatMap(
                namespace ->
                    resources.runClasses().stream()
                        .flatMap(runClass -> keep(namespace, runClass, members)))
            .collect(Collectors.toSet());
    members.stream().filter(pod -> !current.contains(PoolMembers.hash(pod))).forEach(this::retire);
  }

  /** Keeps the pools of a class in a namespace; returns the hashes of their templates. */
  private Stream<String> keep(RunNamespace namespace, RunClass runClass, Collection<Pod> members) {
    RunClassSpec spec = runClass.getSpec();
    if (spec.minWarmPods() == 0 || !spec.allows(namespace.name())) {
      return Stream.empty();
    }
    return programs(spec)
        .map(program -> templates.of(namespace, runClass, program))
        .peek(template -> keep(template, namespace, spec.minWarmPods(), members))
        .map(PoolTemplate::hash);
  }

  private void keep(
      PoolTemplate template, RunNamespace namespace, int wanted, Collection<Pod> members) {
    int idle = 0;
    int starting = 0;
    for (Pod pod : members) {
      if (!PoolMembers.isOf(template.key(), pod)
          || !PoolMembers.hash(pod).equals(template.hash())
          || warmPods.isTaken(pod.getMetadata().getUid())
          || checks.hasJob(pod.getMetadata().getUid())) {
        continue;
      }
      if (isOld(pod)) {
        retire(pod);
        continue;
      }
      WarmPod member = new WarmPod(pod, template.key(), template.hash());
      checks.check(member);
      if (warmPods.isIdle(template.key(), member.uid())) {
        idle++;
      } else {
        starting++;
      }
    }
    refill.create(template, namespace, PoolPlanner.toCreate(wanted, idle, starting));
  }

  private static Stream<Program> programs(RunClassSpec spec) {
    List<Language> languages = spec.languages() == null ? List.of() : spec.languages();
    return languages.stream().map(Program::of).distinct();
  }

  private boolean isOld(Pod pod) {
    return !clock
        .instant()
        .isBefore(
            Instant.parse(pod.getMetadata().getCreationTimestamp()).plus(PoolTemplate.IDLE_LIFE));
  }

  /** Deletes a Pod unless it was given to a run. */
  private void retire(Pod pod) {
    if (warmPods.retire(pod.getMetadata().getUid())) {
      checks.deleteIfUnused(pod);
    }
  }
}
