package dev.assay.operator.pool;

import static java.util.stream.Collectors.groupingBy;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.kubernetes.Nodes;
import dev.assay.operator.kubernetes.UserIdHolders;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolPod.Checking;
import dev.assay.operator.pool.PoolPod.Claimed;
import dev.assay.operator.pool.PoolPod.Idle;
import dev.assay.operator.pool.PoolPod.Retiring;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds out which Pods of a pool serve it, and has the others removed. */
final class PoolCensus {
  private static final Comparator<Pod> OLDEST_FIRST =
      Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp());

  /**
   * How long a Pod stays withheld before another is tried, where others of its namespace are not.
   */
  static final Duration WITHHELD = Duration.ofMinutes(3);

  private static final int MAX_MISSES = 2;

  private final WarmPods warmPods;
  private final PoolStarts starts;
  private final PoolChecks checks;
  private final PoolRemoval removal;
  private final Nodes nodes;
  private final Clock clock;

  PoolCensus(
      WarmPods warmPods,
      PoolStarts starts,
      PoolChecks checks,
      PoolRemoval removal,
      Nodes nodes,
      Clock clock) {
    this.warmPods = warmPods;
    this.starts = starts;
    this.checks = checks;
    this.removal = removal;
    this.nodes = nodes;
    this.clock = clock;
  }

  /** What a Pod is there for. */
  enum Role {
    /** It waits for a run. */
    IDLE,
    /** It would if its network were known to be closed. */
    WITHHELD,
    /** It waits for a run, and is to be succeeded: it will soon be too old. */
    AGING,
    /** It will wait for a run, and has a node. */
    ON_NODE,
    /** It will wait for a run, and has no node yet. */
    UNSCHEDULED,
    /** It has a job, or is to be deleted. */
    USED
  }

  /** The Pods of a pool by what they are there for, the oldest first. */
  record Found(Map<Role, List<Pod>> pods) {
    /** Those of roles, in this order. */
    Stream<Pod> in(Role... roles) {
      return Stream.of(roles).flatMap(role -> pods.getOrDefault(role, List.of()).stream());
    }

    int count(Role... roles) {
      return Math.toIntExact(in(roles).count());
    }
  }

  /**
   * Takes stock of the Pods of a template.
   *
   * @param holders of the user ids of all Pods
   */
  Found of(PoolTemplate template, Collection<Pod> members, UserIdHolders holders) {
    return new Found(
        members.stream()
            .sorted(OLDEST_FIRST)
            .collect(groupingBy(pod -> role(template, pod, holders))));
  }

  /** What the status of their class says of Pods that are withheld. */
  WithheldPods withheld(Found found) {
    Instant recent = clock.instant().minus(EgressCheck.GRACE);
    List<Pod> lasting = new ArrayList<>();
    boolean couldConnect = false;
    for (Pod pod : found.in(Role.WITHHELD).toList()) {
      if (known(pod) instanceof Checking known
          && known.withheldSince() != null
          && known.withheldSince().isBefore(recent)) {
        lasting.add(pod);
        couldConnect |= known.rounds().wasOpen();
      }
    }
    return new WithheldPods(found.count(Role.WITHHELD), lasting, couldConnect);
  }

  private PoolPod known(Pod pod) {
    return warmPods.see(pod.getMetadata().getUid());
  }

  /**
   * Removes Pods of no current template, which no run is given any more, a few at a time: all at
   * once, with their successors starting, would burden the nodes and the API server.
   *
   * @param warm Pods of which some may be leaving already
   * @return how many are still to be removed
   */
  int removeStale(Collection<Pod> stale, Collection<Pod> warm) {
    int allowed = PoolPlanner.MAX_LEAVING - removal.leaving(warm);
    int left = 0;
    for (Pod pod : stale) {
      PoolPod known = known(pod);
      Optional<String> failure = failure(pod);
      if (known instanceof Claimed) {
        removal.deleteUsed(pod);
      } else if (failure.isPresent()) {
        boolean unused = removal.deleteFailed(pod, failure.get());
      } else if (known instanceof Retiring) {
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

  private Role role(PoolTemplate template, Pod pod, UserIdHolders holders) {
    PoolPod known = known(pod);
    if (known instanceof Claimed) {
      removal.deleteUsed(pod);
      return Role.USED;
    }
    Optional<String> failure = failure(pod).or(() -> failure(template, known));
    if (failure.isPresent()) {
      if (removal.deleteFailed(pod, failure.get())) {
        starts.failed(template.key(), "a Pod failed: " + failure.get());
      }
      return Role.USED;
    }
    Optional<String> loss = PodState.loss(pod);
    if (loss.isPresent()) {
      // The pool does not pause: a Pod on another node is not concerned.
      boolean unused = removal.deleteFailed(pod, loss.get());
      return Role.USED;
    }
    if (known instanceof Retiring
        || isOlderThan(PoolTemplate.IDLE_LIFE, pod)
        // An older one would have been seen before a Pod became idle.
        || (!(known instanceof Idle) && holders.haveOlderThan(pod))
        || isOnCordonedNode(pod)
        || isToBeReplaced(template.key(), known)) {
      removal.retire(pod);
      return Role.USED;
    }
    checks.check(new WarmPod(template, pod), known);
    if (known instanceof Idle) {
      return isOlderThan(PoolTemplate.IDLE_LIFE.minus(PoolTemplate.SUCCESSION), pod)
          ? Role.AGING
          : Role.IDLE;
    }
    if (known instanceof Checking checking && checking.withheldSince() != null) {
      return Role.WITHHELD;
    }
    return PodState.hasNode(pod) ? Role.ON_NODE : Role.UNSCHEDULED;
  }

  /** Why a Pod that waits for a run can serve none; empty if it can. */
  private static Optional<String> failure(Pod pod) {
    return PodState.isTerminal(pod) || PodState.workerEnded(pod)
        ? Optional.of(PodState.terminationReason(pod))
        : Optional.empty();
  }

  /** Why a Pod is of no use to its pool; empty if it is, or may become so. */
  private Optional<String> failure(PoolTemplate template, PoolPod known) {
    if (!starts.areOfUse(template.key(), template.hash())) {
      return Optional.of("its runner image is from before 0.3");
    }
    // The Pod after a withheld one would not be better.
    if (!(known instanceof Checking checking) || checking.withheldSince() != null) {
      return Optional.empty();
    }
    if (checking.misses() >= MAX_MISSES) {
      return Optional.of("its runner does not answer any more");
    }
    // Counts from when this process saw it first: a new leader has offered none of its Pods yet.
    Instant since = checking.startsSince();
    return since != null && !clock.instant().isBefore(since.plus(PoolStarts.MAX_START))
        ? Optional.of("it was not ready within " + PoolStarts.MAX_START.toMinutes() + " minutes")
        : Optional.empty();
  }

  /** Whether another Pod in its place may be closed, as others of the namespace are. */
  private boolean isToBeReplaced(PoolKey key, PoolPod known) {
    return known instanceof Checking checking
        && checking.withheldSince() != null
        && !clock.instant().isBefore(checking.withheldSince().plus(WITHHELD))
        && warmPods.anyIdle(key.namespace())
        && starts.tryReplacement(key);
  }

  /**
   * Whether its node will be drained. Of a Pod that tolerates that, the next may come there too.
   */
  private boolean isOnCordonedNode(Pod pod) {
    String node = pod.getSpec().getNodeName();
    return node != null && nodes.isCordoned(node) && !PodState.toleratesCordon(pod);
  }

  private boolean isOlderThan(Duration age, Pod pod) {
    return !clock.instant().isBefore(PodState.created(pod).plus(age));
  }
}
