package dev.assay.operator.kubernetes;

import static java.util.stream.Collectors.toSet;

import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.pod.PodUsers;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Assigns user ids to run Pods, so that no two live Pods in all run namespaces share one. Assigned
 * ids are read from the Pods themselves; only those of Pods not in the cache yet are remembered.
 */
public final class UserIds {
  /** After this time, a Pod whose creation was never confirmed counts as not created. */
  private static final Duration MAX_UNCONFIRMED = Duration.ofMinutes(10);

  private final Map<String, Reservation> unconfirmed = new HashMap<>();
  private final Clock clock;

  private record Reservation(PodUsers users, Instant made) {}

  public UserIds(Clock clock) {
    this.clock = clock;
  }

  /**
   * Assigns two ids to a Pod that is about to be created; idempotent for the same Pod.
   *
   * @param live all cached run Pods of all run namespaces
   * @return empty if every id of the range is in use
   */
  public synchronized Optional<PodUsers> reserve(
      String podName, UserIdRange range, Collection<Pod> live) {
    Set<String> names = live.stream().map(pod -> pod.getMetadata().getName()).collect(toSet());
    Instant oldest = clock.instant().minus(MAX_UNCONFIRMED);
    unconfirmed
        .entrySet()
        .removeIf(
            entry -> names.contains(entry.getKey()) || entry.getValue().made().isBefore(oldest));
    Reservation known = unconfirmed.get(podName);
    if (known != null) {
      return Optional.of(known.users());
    }
    Set<Long> taken = live.stream().flatMap(PodUsers::of).collect(toSet());
    unconfirmed.values().stream()
        .map(Reservation::users)
        .forEach(
            users -> {
              taken.add(users.supervisor());
              taken.add(users.worker());
            });
    Optional<PodUsers> found = firstFree(podName, range, taken);
    found.ifPresent(users -> unconfirmed.put(podName, new Reservation(users, clock.instant())));
    return found;
  }

  /** Takes back the ids of a Pod that was not created, and never will be under this name. */
  public synchronized void release(String podName) {
    unconfirmed.remove(podName);
  }

  /**
   * The search starts at a hash of the name and not at the start of the range, so that the ids of a
   * Pod that was just force-deleted, and may still run on a lost node, are not the next to be
   * assigned.
   */
  private static Optional<PodUsers> firstFree(String podName, UserIdRange range, Set<Long> taken) {
    long start = Math.floorMod(podName.hashCode(), range.pairs());
    return LongStream.range(0, range.pairs())
        .map(step -> range.first() + 2 * ((start + step) % range.pairs()))
        .filter(id -> !taken.contains(id) && !taken.contains(id + 1))
        .mapToObj(id -> new PodUsers(id, id + 1))
        .findFirst();
  }
}
