package dev.assay.operator.pool;

import static java.util.stream.Collectors.toSet;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolPlanner.Member;
import dev.assay.operator.pool.PoolPlanner.Plan;
import dev.assay.operator.pool.PoolPlanner.Role;
import dev.assay.operator.runner.RunnerClient;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps every pool filled, and removes its Pods that have failed, are too old, too many, or of an
 * earlier template. Runs on the leader only, which takes over the idle Pods of the one before.
 */
public final class PoolKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);

  /** Short, so that a Pod that was taken is replaced soon. A round reads caches only. */
  private static final Duration INTERVAL = Duration.ofMillis(250);

  private static final Duration MAX_ROUND = Duration.ofMinutes(1);

  private final OperatorConfig config;
  private final PoolResources resources;
  private final Supplier<Set<String>> podsInUse;
  private final PoolTemplates templates;
  private final WarmPods warmPods;
  private final PoolRoom room;
  private final PoolRefill refill;
  private final PoolPauses pauses;
  private final PoolChecks checks;
  private final PoolRemoval removal;
  private final Clock clock;
  private volatile boolean synced;

  /** When a round ended last; null before the first, and where this process does not lead. */
  private volatile @Nullable Instant lastRound;

  private String problem = "";
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("pool-keeper").factory());

  /**
   * A keeper that is not started yet.
   *
   * @param podsInUse the UIDs of the Pods that executions of this process have
   * @param room whether runs need the room of idle Pods
   */
  public PoolKeeper(
      OperatorConfig config,
      PoolResources resources,
      Supplier<Set<String>> podsInUse,
      PoolTemplates templates,
      WarmPods warmPods,
      PoolRoom room,
      RunnerPods pods,
      RunnerClient runners,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      ExecutorService threads,
      Clock clock) {
    this.config = config;
    this.resources = resources;
    this.podsInUse = podsInUse;
    this.templates = templates;
    this.warmPods = warmPods;
    this.room = room;
    this.pauses = new PoolPauses(clock);
    this.refill = new PoolRefill(resources, pods, userIds, networkPolicies, pauses, clock);
    this.checks = new PoolChecks(warmPods, pauses, runners, threads, clock);
    this.removal = new PoolRemoval(warmPods, checks, pods, threads, clock);
    this.clock = clock;
  }

  /** Starts to keep the pools; must be called on the leader only. */
  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::reconcileSafely, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** Says that the caches are complete: before, each Pod would be missing. */
  public void cachesAreSynced() {
    synced = true;
  }

  /** One round of the timer: an Error would end it, and with it the pools, without a trace. */
  void reconcileSafely() {
    if (!synced) {
      return;
    }
    try {
      reconcile();
      problem = "";
    } catch (RuntimeException | Error e) {
      if (!e.toString().equals(problem)) {
        problem = e.toString();
        LOG.warn("The warm pools could not be kept and will be again", e);
      }
    }
    lastRound = clock.instant();
  }

  /** What is wrong if a round does not end. */
  public Set<String> symptoms() {
    Instant last = lastRound;
    return last != null && clock.instant().isAfter(last.plus(MAX_ROUND))
        ? Set.of("the warm pools are not reconciled")
        : Set.of();
  }

  /** One round. */
  void reconcile() {
    Collection<Pod> pods = resources.pods();
    Set<String> used = new HashSet<>(podsInUse.get());
    used.addAll(resources.boundPods());
    List<Pod> members = PoolMembers.withoutRun(pods, used);
    forgetOthers(uids(pods.stream().filter(PodState::isWarm)), uids(members.stream()));
    refill.listed(pods);
    Set<String> ofClasses = new HashSet<>();
    for (RunNamespace namespace : config.namespaces()) {
      for (RunClass runClass : resources.runClasses()) {
        List<Pod> ofClass =
            members.stream()
                .filter(pod -> PoolMembers.isOf(runClass, namespace.name(), pod))
                .toList();
        reconcileClass(namespace, runClass, ofClass);
        ofClasses.addAll(uids(ofClass.stream()));
      }
    }
    members.stream()
        .filter(pod -> !ofClasses.contains(pod.getMetadata().getUid()))
        .forEach(this::removeStale);
  }

  private void forgetOthers(Set<String> existing, Set<String> members) {
    warmPods.retainOnly(existing, members);
    checks.retainOnly(existing);
    removal.retainOnly(existing, members);
  }

  /** Reconciles the pools of a class in a namespace; a failure of one does not stop the others. */
  private void reconcileClass(RunNamespace namespace, RunClass runClass, List<Pod> members) {
    Set<String> hashes = new HashSet<>();
    boolean complete = true;
    for (Program program : programs(namespace, runClass.getSpec())) {
      try {
        PoolTemplate template = templates.of(namespace, runClass, program);
        hashes.add(template.hash());
        reconcilePool(template, namespace, runClass.getSpec().minWarmPods(), members);
      } catch (RuntimeException e) {
        complete = false;
        pauses.rejected(
            new PoolKey(namespace.name(), runClass.getMetadata().getName(), program), e.toString());
      }
    }
    if (complete) {
      members.stream()
          .filter(pod -> !hashes.contains(PoolMembers.hash(pod)))
          .forEach(this::removeStale);
    }
  }

  /** Those that have a pool for a class in a namespace. */
  private static List<Program> programs(RunNamespace namespace, RunClassSpec spec) {
    List<Language> languages = spec.languages();
    return spec.minWarmPods() == 0 || !spec.allows(namespace.name()) || languages == null
        ? List.of()
        : languages.stream().map(Program::of).distinct().toList();
  }

  private void reconcilePool(
      PoolTemplate template, RunNamespace namespace, int min, List<Pod> ofClass) {
    List<Member> members =
        ofClass.stream()
            .filter(pod -> PoolMembers.hash(pod).equals(template.hash()))
            .map(pod -> new Member(pod, role(template, pod)))
            .toList();
    int wanted = room.isNeeded(namespace.name()) ? 0 : min;
    Plan plan = PoolPlanner.plan(wanted, members, refill.unlisted(template));
    plan.retire().forEach(removal::retire);
    refill.create(template, namespace, plan.create());
  }

  /** What a Pod is there for. One that serves no run any more is removed. */
  private Role role(PoolTemplate template, Pod pod) {
    String uid = pod.getMetadata().getUid();
    if (wasGivenJob(uid)) {
      removal.deleteUsed(pod);
      return Role.USED;
    }
    Optional<String> failure = PoolMembers.failure(pod).or(() -> checks.failure(uid));
    if (failure.isPresent()) {
      if (removal.deleteFailed(pod, failure.get())) {
        pauses.failed(template.key(), "a Pod failed: " + failure.get());
      }
      return Role.USED;
    }
    if (warmPods.isWithdrawn(uid) || isOld(pod) || sharesUserIds(pod)) {
      removal.retire(pod);
      return Role.USED;
    }
    checks.check(WarmPod.of(template, pod));
    return warmPods.isIdle(uid) ? Role.IDLE : Role.STARTING;
  }

  /** Removes a Pod of no current template. */
  private void removeStale(Pod pod) {
    Optional<String> failure = PoolMembers.failure(pod);
    if (wasGivenJob(pod.getMetadata().getUid())) {
      removal.deleteUsed(pod);
    } else if (failure.isPresent()) {
      boolean unused = removal.deleteFailed(pod, failure.get());
    } else {
      removal.retire(pod);
    }
  }

  /** Whether this process or another leader has given a Pod a job, or is about to. */
  private boolean wasGivenJob(String uid) {
    return warmPods.isTaken(uid) || checks.hasJob(uid);
  }

  /** Not asked of a Pod that is idle: an older one would have been seen before. */
  private boolean sharesUserIds(Pod pod) {
    return !warmPods.isIdle(pod.getMetadata().getUid())
        && UserIds.sharedWithOlder(pod, resources.pods());
  }

  private boolean isOld(Pod pod) {
    return !clock
        .instant()
        .isBefore(
            Instant.parse(pod.getMetadata().getCreationTimestamp()).plus(PoolTemplate.IDLE_LIFE));
  }

  private static Set<String> uids(Stream<Pod> pods) {
    return pods.map(pod -> pod.getMetadata().getUid()).collect(toSet());
  }
}
