package dev.assay.operator.pool;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.WarmPoolsConfig;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolPlanner.MemoryLimits;
import dev.assay.operator.pool.PoolPlanner.Plan;
import dev.assay.operator.pool.PoolPlanner.Target;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
 * Keeps every pool as large as its calls need, and removes its Pods that have failed, are too old,
 * too many, or of an earlier template. Runs on the leader only, which takes over the idle Pods of
 * the one before.
 */
public final class PoolKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolKeeper.class);

  /** Short, so that a Pod that was taken is replaced soon. A round reads caches only. */
  private static final Duration INTERVAL = Duration.ofMillis(250);

  private static final Duration MAX_ROUND = Duration.ofMinutes(1);

  private final ServedNamespaces namespaces;
  private final WarmPoolsConfig warmPools;
  private final PoolResources resources;
  private final Supplier<Set<String>> podsInUse;
  private final PoolTemplates templates;
  private final WarmPods warmPods;
  private final PoolHistory history;
  private final PoolRoom room;
  private final PoolRefill refill;
  private final PoolPauses pauses;
  private final PoolChecks checks;
  private final PoolRemoval removal;
  private final PoolCensus census;
  private final ClassStatusWriter statuses;
  private final AwaitedAnswers answers;
  private final Clock clock;

  /** When a round ended last; null before the first, and where this process does not lead. */
  private volatile @Nullable Instant lastRound;

  private volatile List<PoolSize> sizes = List.of();

  /** Since when refills wait for answers; null if they do not. */
  private @Nullable Instant deferredSince;

  private String problem = "";
  private final ScheduledExecutorService timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("pool-keeper").factory());

  /**
   * A keeper that is not started yet.
   *
   * @param podsInUse the UIDs of the Pods that executions of this process have
   * @param history the calls of the pools
   * @param answers hold up refills
   * @param room whether runs need the room of idle Pods
   * @param statuses of the classes
   * @param keys sign what retires Pods
   * @param egress whether the network of a Pod is closed
   */
  public PoolKeeper(
      ServedNamespaces namespaces,
      WarmPoolsConfig warmPools,
      PoolResources resources,
      Supplier<Set<String>> podsInUse,
      PoolTemplates templates,
      WarmPods warmPods,
      PoolHistory history,
      AwaitedAnswers answers,
      PoolRoom room,
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
    this.namespaces = namespaces;
    this.warmPools = warmPools;
    this.resources = resources;
    this.podsInUse = podsInUse;
    this.templates = templates;
    this.warmPods = warmPods;
    this.history = history;
    this.answers = answers;
    this.room = room;
    this.statuses = statuses;
    this.pauses = new PoolPauses(clock);
    this.refill = new PoolRefill(resources, pods, userIds, networkPolicies, pauses, history, clock);
    this.checks =
        new PoolChecks(
            warmPods,
            pauses,
            history,
            runners,
            new Retirement(runners, keys),
            egress,
            threads,
            clock);
    this.removal = new PoolRemoval(warmPods, checks, pods, threads, clock);
    this.census = new PoolCensus(warmPods, checks, pauses, removal, nodes, clock);
    this.clock = clock;
  }

  /**
   * Starts to keep the pools; must be called on the leader only, and when the caches are complete:
   * before, each Pod would be missing.
   */
  public void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            this::reconcileSafely, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /**
   * The NetworkPolicies of a namespace were changed: its Pods are checked again before they run.
   */
  public void networkPoliciesChanged(String namespace) {
    int withheld = warmPods.networkPoliciesChanged(namespace);
    if (withheld > 0) {
      LOG.info(
          "The NetworkPolicies of {} were changed: {} idle Pods are tested before they get runs",
          namespace,
          withheld);
    }
  }

  /** One round of the timer: an Error would end it, and with it the pools, without a trace. */
  void reconcileSafely() {
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

  /**
   * A pool in the last round.
   *
   * @param worker what executes the code
   * @param wanted how many idle Pods it is to have
   */
  public record PoolSize(
      String namespace, String className, String worker, int idle, int starting, int wanted) {}

  /** The pools in the last round; none where this process does not lead. */
  public List<PoolSize> sizes() {
    return sizes;
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
    Collection<RunClass> classes = resources.runClasses();
    history.classesAre(classes);
    forgetAllBut(classes);
    Collection<Pod> pods = resources.pods();
    Set<String> executed = podsInUse.get();
    List<Pod> warm = pods.stream().filter(PodState::isWarm).toList();
    Set<String> used = new HashSet<>(executed);
    used.addAll(resources.bound(warm));
    List<Pod> members = PoolMembers.withoutRun(warm, used);
    forgetOthers(uids(warm), uids(members));
    warmPods.queue().wakeAll();
    refill.listed(pods);
    room.look(pods);
    Round round = new Round(UserIdHolders.of(pods));
    for (RunNamespace namespace : namespaces.served()) {
      for (RunClass runClass : classes) {
        look(round, namespace, runClass, members, warm);
      }
    }
    removePodsOfNoClass(round, members);
    apply(round, warm, isDeferred());
    report(classes, round);
  }

  private boolean isDeferred() {
    Instant now = clock.instant();
    if (!answers.areAwaited()) {
      deferredSince = null;
      return false;
    }
    Instant since = deferredSince == null ? now : deferredSince;
    deferredSince = since;
    return answers.left(since).isPositive();
  }

  /**
   * A few of each namespace, so that those of one, which anybody may have created, hold up none.
   */
  private void removePodsOfNoClass(Round round, Collection<Pod> members) {
    members.stream()
        .filter(pod -> !round.ofClasses.contains(pod.getMetadata().getUid()))
        .collect(groupingBy(pod -> pod.getMetadata().getNamespace()))
        .values()
        .forEach(
            pods -> {
              int unused = census.removeStale(pods, 0);
            });
  }

  private void forgetAllBut(Collection<RunClass> classes) {
    Set<String> names =
        classes.stream().map(found -> found.getMetadata().getName()).collect(toSet());
    templates.retainOnly(names);
    pauses.retainOnly(names);
    census.retainOnly(names);
    warmPods.queue().prune();
  }

  private void forgetOthers(Set<String> existing, Set<String> members) {
    warmPods.retainOnly(existing, members);
    checks.retainOnly(existing);
    removal.retainOnly(existing, members);
  }

  /** What a round has found. */
  private static final class Round {
    private final UserIdHolders holders;
    private final List<Pool> pools = new ArrayList<>();

    /** The UIDs of the Pods of all classes. */
    private final Set<String> ofClasses = new HashSet<>();

    /** The memory of Pods that are still to be replaced, by namespace. */
    private final Map<String, Long> replaced = new HashMap<>();

    Round(UserIdHolders holders) {
      this.holders = holders;
    }

    void toBeReplaced(String namespace, long bytes) {
      replaced.merge(namespace, bytes, Long::sum);
    }
  }

  /** Takes stock of a class in a namespace; a failure of one does not stop the others. */
  private void look(
      Round round,
      RunNamespace namespace,
      RunClass runClass,
      Collection<Pod> members,
      Collection<Pod> warm) {
    List<Pod> ofClass = PoolMembers.of(runClass, namespace.name(), members);
    round.ofClasses.addAll(uids(ofClass));
    Set<String> hashes = new HashSet<>();
    boolean complete = true;
    long podBytes = 0;
    for (Program program : programs(namespace, runClass.getSpec())) {
      try {
        PoolTemplate template = templates.of(namespace, runClass, program);
        hashes.add(template.hash());
        podBytes = template.memoryBytes();
        Pool pool = look(round, template, namespace, runClass, ofClass);
        round.pools.add(pool);
        round.toBeReplaced(namespace.name(), pool.aging().size() * template.memoryBytes());
      } catch (RuntimeException e) {
        complete = false;
        pauses.rejected(
            new PoolKey(namespace.name(), runClass.getMetadata().getName(), program), e.toString());
      }
    }
    if (complete) {
      int left =
          census.removeStale(
              ofClass.stream().filter(pod -> !hashes.contains(PoolMembers.hash(pod))).toList(),
              census.leaving(PoolMembers.of(runClass, namespace.name(), warm)));
      round.toBeReplaced(namespace.name(), left * podBytes);
    }
  }

  private Pool look(
      Round round,
      PoolTemplate template,
      RunNamespace namespace,
      RunClass runClass,
      Collection<Pod> ofClass) {
    List<Pod> members =
        ofClass.stream().filter(pod -> PoolMembers.hash(pod).equals(template.hash())).toList();
    return Pool.of(
        template,
        namespace,
        runClass.getSpec().warmPoolLimits(),
        census.of(template, members, round.holders),
        refill.unlisted(template),
        history,
        clock.instant());
  }

  /** Those that have a pool for a class in a namespace. */
  private static List<Program> programs(RunNamespace namespace, RunClassSpec spec) {
    List<Language> languages = spec.languages();
    return !spec.warmPoolLimits().exist() || !spec.allows(namespace.name()) || languages == null
        ? List.of()
        : languages.stream()
            .filter(language -> language != Language.UNKNOWN)
            .map(Program::of)
            .distinct()
            .toList();
  }

  private void apply(Round round, Collection<Pod> warm, boolean isDeferred) {
    Map<PoolKey, Target> targets =
        PoolPlanner.withinMemory(
            round.pools.stream().map(Pool::need).toList(), round.replaced, limits());
    sizes = round.pools.stream().map(pool -> size(pool, targets)).toList();
    for (Pool pool : round.pools) {
      try {
        Target target = targets.getOrDefault(pool.key(), Target.NONE);
        Plan plan =
            PoolPlanner.plan(
                target, pool.idle().size(), pool.starting(), history.startLimit(pool.key()));
        if (plan.isLimited()) {
          history.startLimitIsReached(pool.key());
        }
        pool.idle().subList(0, plan.retire()).forEach(removal::retire);
        pool.succeeded(target).forEach(removal::retire);
        // One that waits for a node may wait for as long as it is wanted, and makes some clusters
        // add a node.
        pool.unscheduled().stream().limit(plan.cancel()).forEach(removal::retire);
        if (!isDeferred
            && checks.mayServe(pool.template())
            && !room.holdsUpRefill(pool.namespace().name())) {
          refill.create(pool.template(), pool.namespace(), plan.create());
        }
      } catch (RuntimeException e) {
        pauses.rejected(pool.key(), e.toString());
      }
    }
    for (RunNamespace namespace : namespaces.served()) {
      makeRoom(namespace.name(), round.pools, warm);
    }
  }

  private static PoolSize size(Pool pool, Map<PoolKey, Target> targets) {
    NamespacePool status = pool.status();
    return new PoolSize(
        status.namespace(),
        pool.key().className(),
        status.worker(),
        status.ready(),
        status.starting(),
        targets.getOrDefault(pool.key(), Target.NONE).low());
  }

  private MemoryLimits limits() {
    return new MemoryLimits(
        warmPools.maxIdleMemoryBytesPerNamespace(), warmPools.maxIdleMemoryBytes());
  }

  private void makeRoom(String namespace, Collection<Pool> pools, Collection<Pod> warm) {
    int leaving =
        census.leaving(
            warm.stream()
                .filter(pod -> pod.getMetadata().getNamespace().equals(namespace))
                .toList());
    List<Pod> next =
        candidates(namespace, pools).limit(room.toRetire(namespace, leaving > 0)).toList();
    if (!next.isEmpty()) {
      room.gaveWay(namespace);
      next.forEach(removal::retire);
    }
  }

  private Stream<Pod> candidates(String namespace, Collection<Pool> pools) {
    return RoomCandidates.of(
        pools.stream().filter(pool -> pool.namespace().name().equals(namespace)).toList(),
        warmPods.queue()::count,
        clock.instant());
  }

  private void report(Collection<RunClass> classes, Round round) {
    for (RunClass runClass : classes) {
      statuses.write(
          runClass,
          round.pools.stream()
              .filter(pool -> pool.key().className().equals(runClass.getMetadata().getName()))
              .map(Pool::status)
              .toList());
    }
    statuses.retainOnly(
        classes.stream().map(found -> found.getMetadata().getUid()).collect(toSet()));
  }

  private static Set<String> uids(Collection<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getUid()).collect(toSet());
  }
}
