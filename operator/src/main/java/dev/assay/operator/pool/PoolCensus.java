package dev.assay.operator.pool;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds out which Pods of a pool serve it, and has the others removed. */
final class PoolCensus {
  private static final Comparator<Pod> OLDEST_FIRST =
      Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp());

  /**
   * How long a Pod stays withheld before another is tried, where others of its namespace are not.
   */
  static final Duration WITHHELD = Duration.ofMinutes(3);

  private final WarmPods warmPods;
  private final PoolChecks checks;
  private final PoolPauses pauses;
  private final PoolRemoval removal;
  private final Nodes nodes;
  private final Clock clock;

  /**
   * A Pod that replaces a withheld one may come to a node that enforces the policy, or to the same
   * one.
   */
  private final KeyedBackoff<PoolKey> replacements =
      new KeyedBackoff<>(WITHHELD, PoolTemplate.IDLE_LIFE, PoolTemplate.IDLE_LIFE);

  PoolCensus(
      WarmPods warmPods,
      PoolChecks checks,
      PoolPauses pauses,
      PoolRemoval removal,
      Nodes nodes,
      Clock clock) {
    this.warmPods = warmPods;
    this.checks = checks;
    this.pauses = pauses;
    this.removal = removal;
    this.nodes = nodes;
    this.clock = clock;
  }

  /**
   * The Pods of a pool.
   *
   * @param idle those that wait for a run, the oldest first, after those that are withheld as long
   *     as their network is not known to be closed
   * @param withheld these
   * @param aging those that wait for a run and are to be succeeded, the oldest first
   * @param unscheduled those that will wait for a run and have no node yet
   * @param onNode those that will wait for a run and have one
   */
  record Found(
      List<Pod> idle,
      WithheldPods withheld,
      List<Pod> aging,
      List<Pod> unscheduled,
      List<Pod> onNode) {
    /** How many will wait for a run. */
    int starting() {
      return unscheduled.size() + onNode.size();
    }
  }

  /** What a Pod is there for. */
  private enum Role {
    IDLE,
    /** It would be idle if its network were known to be closed. */
    WITHHELD,
    /** It is idle, and will soon be too old. */
    AGING,
    STARTING,
    /** It has a job, or is to be deleted. */
    USED
  }

  /**
   * Takes stock of the Pods of a template.
   *
   * @param holders of the user ids of all Pods
   */
  Found of(PoolTemplate template, Collection<Pod> members, UserIdHolders holders) {
    List<Pod> idle = new ArrayList<>();
    List<Pod> withheld = new ArrayList<>();
    List<Pod> aging = new ArrayList<>();
    List<Pod> unscheduled = new ArrayList<>();
    List<Pod> onNode = new ArrayList<>();
    for (Pod pod : members) {
      switch (role(template, pod, holders)) {
        case IDLE -> idle.add(pod);
        case WITHHELD -> withheld.add(pod);
        case AGING -> aging.add(pod);
        case STARTING -> (PodState.hasNode(pod) ? onNode : unscheduled).add(pod);
        case USED -> {}
      }
    }
    idle.sort(OLDEST_FIRST);
    aging.sort(OLDEST_FIRST);
    return new Found(
        Stream.of(withheld, idle).flatMap(List::stream).toList(),
        withheld(withheld),
        aging,
        unscheduled,
        onNode);
  }

  private WithheldPods withheld(List<Pod> pods) {
    Instant recent = clock.instant().minus(EgressCheck.GRACE);
    List<Pod> lasting =
        pods.stream()
            .filter(pod -> checks.withheldSince(uid(pod)).filter(recent::isAfter).isPresent())
            .toList();
    return new WithheldPods(
        pods.size(), lasting, lasting.stream().map(PoolCensus::uid).anyMatch(checks::couldConnect));
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }

  /**
   * Removes Pods of no current template, which no run is given any more, a few at a time: all at
   * once, with their successors starting, would burden the nodes and the API server.
   *
   * @param leaving how many are being removed already
   * @return how many are still to be removed
   */
  int removeStale(Collection<Pod> stale, int leaving) {
    int allowed = PoolPlanner.MAX_LEAVING - leaving;
    int left = 0;
    for (Pod pod : stale) {
      String uid = pod.getMetadata().getUid();
      Optional<String> failure = PoolMembers.failure(pod);
      if (wasGivenJob(uid)) {
        removal.deleteUsed(pod);
      } else if (failure.isPresent()) {
        boolean unused = removal.deleteFailed(pod, failure.get());
      } else if (warmPods.isWithdrawn(uid)) {
        removal.retire(pod);
      } else if (allowed > 0) {
        removal.retire(pod);
        allowed--;
      } else {
        left++;
      }
    }
    return left;
  }

  /** Forgets the pools of all classes but these. */
  void retainOnly(Set<String> classNames) {
    replacements.retainIf(pool -> classNames.contains(pool.className()));
  }

  /** How many Pods have been withdrawn, and are not gone yet. A lost node confirms nothing. */
  int leaving(Collection<Pod> pods) {
    Instant now = clock.instant();
    return Math.toIntExact(
        pods.stream()
            .filter(pod -> warmPods.isWithdrawn(pod.getMetadata().getUid()))
            .filter(pod -> !PodState.deletionOverdue(pod, now))
            .count());
  }

  private Role role(PoolTemplate template, Pod pod, UserIdHolders holders) {
    String uid = pod.getMetadata().getUid();
    if (wasGivenJob(uid)) {
      removal.deleteUsed(pod);
      return Role.USED;
    }
    Optional<String> failure = PoolMembers.failure(pod).or(() -> checks.failure(template, uid));
    if (failure.isPresent()) {
      if (removal.deleteFailed(pod, failure.get())) {
        pauses.failed(template.key(), "a Pod failed: " + failure.get());
      }
      return Role.USED;
    }
    Optional<String> loss = PodState.loss(pod);
    if (loss.isPresent()) {
      // The pool does not pause: a Pod on another node is not concerned.
      boolean unused = removal.deleteFailed(pod, loss.get());
      return Role.USED;
    }
    if (warmPods.isWithdrawn(uid)
        || isOlderThan(PoolTemplate.IDLE_LIFE, pod)
        || sharesUserIds(pod, holders)
        || isOnCordonedNode(pod)) {
      removal.retire(pod);
      return Role.USED;
    }
    checks.check(WarmPod.of(template, pod));
    if (warmPods.isIdle(uid)) {
      return isOlderThan(PoolTemplate.IDLE_LIFE.minus(PoolTemplate.SUCCESSION), pod)
          ? Role.AGING
          : Role.IDLE;
    }
    Optional<Instant> withheldSince = checks.withheldSince(uid);
    if (withheldSince.isEmpty()) {
      return Role.STARTING;
    }
    if (isToBeReplaced(template.key(), withheldSince.get())) {
      removal.retire(pod);
      return Role.USED;
    }
    return Role.WITHHELD;
  }

  /** Whether another Pod in its place may be closed, as others of the namespace are. */
  private boolean isToBeReplaced(PoolKey key, Instant withheldSince) {
    Instant now = clock.instant();
    boolean isDue =
        warmPods.anyIdle(key.namespace())
            && !now.isBefore(withheldSince.plus(WITHHELD))
            && !replacements.isPaused(key, now);
    if (isDue) {
      var unused = replacements.begin(key, now);
    }
    return isDue;
  }

  /** Whether this process or another leader has given a Pod a job, or is about to. */
  private boolean wasGivenJob(String uid) {
    return warmPods.isTaken(uid) || checks.hasJob(uid);
  }

  /** Not asked of a Pod that is idle: an older one would have been seen before. */
  private boolean sharesUserIds(Pod pod, UserIdHolders holders) {
    return !warmPods.isIdle(pod.getMetadata().getUid()) && holders.haveOlderThan(pod);
  }

  /**
   * Whether its node will be drained. Of a Pod that tolerates that, the next may come there too.
   */
  private boolean isOnCordonedNode(Pod pod) {
    String node = pod.getSpec().getNodeName();
    return node != null && nodes.isCordoned(node) && !PodState.toleratesCordon(pod);
  }

  private boolean isOlderThan(Duration age, Pod pod) {
    Instant created = PodState.created(pod);
    return !clock.instant().isBefore(created.plus(age));
  }
}
