package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodQueueTest {
  private static final String NAMESPACE = "team-a";

  private final ManualClock clock = new ManualClock();
  private final PodQueue queue = new PodQueue(clock);
  private final Set<String> gone = new HashSet<>();
  private final List<String> woken = new ArrayList<>();

  @Test
  void nobodyWaitsWhileNobodyIsRefused() {
    assertThat(queue.turn(NAMESPACE, who("a", 1))).isEmpty();
    assertThat(queue.turn(NAMESPACE, who("b", 2))).isEmpty();
    assertThat(queue.contains(NAMESPACE, "a")).isFalse();
  }

  @Test
  void anythingThatFitsIntoTheQuotaWaitsUntilItIsGone() {
    assertThat(queue.hasWaiting(NAMESPACE)).isFalse();
    queue.refused(
        NAMESPACE,
        who("large", 1),
        "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0");
    assertThat(queue.hasWaiting(NAMESPACE)).as("no room would be enough for it").isFalse();
    queue.refused(NAMESPACE, who("a", 1), "exceeded quota");
    assertThat(queue.hasWaiting(NAMESPACE)).isTrue();
    assertThat(queue.hasWaiting("another-namespace")).isFalse();
    gone.add("a");
    assertThat(queue.hasWaiting(NAMESPACE)).isFalse();
  }

  @Test
  void behindOneThatIsRefusedTheOldestIsFirstWhoeverCameFirst() {
    queue.refused(NAMESPACE, who("b", 2), "exceeded quota");
    assertThat(queue.turn(NAMESPACE, who("c", 3))).isPresent();
    assertThat(queue.turn(NAMESPACE, who("a", 1)))
        .as("not before the quota may have room")
        .isPresent();
    assertThat(queue.isFirst(NAMESPACE, "c")).isFalse();
    assertThat(queue.isFirst(NAMESPACE, "a")).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(queue.turn(NAMESPACE, who("b", 2))).isPresent();
    assertThat(queue.turn(NAMESPACE, who("a", 1))).isEmpty();
    assertThat(queue.lastRefusal(NAMESPACE, "a")).isEqualTo("exceeded quota");
  }

  @Test
  void ofThoseThatWereCreatedInOneSecondTheFirstToComeIsFirst() {
    queue.refused(NAMESPACE, who("z", 1), "");
    queue.refused(NAMESPACE, who("a", 1), "");
    assertThat(queue.isFirst(NAMESPACE, "a")).isFalse();
  }

  @Test
  void theFirstAsksLessAndLessOften() {
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      waits.add(queue.refused(NAMESPACE, who("a", 1), "").toSeconds());
    }
    assertThat(waits).containsExactly(1L, 2L, 4L, 8L, 10L, 10L);
    assertThat(queue.turn(NAMESPACE, who("a", 1))).hasValue(Duration.ofSeconds(10));
  }

  @Test
  void aPodThatEndsLetsTheFirstAskAtOnce() {
    queue.refused(NAMESPACE, who("a", 1), "");
    queue.refused(NAMESPACE, who("b", 2), "");
    queue.roomFreed("another-namespace");
    assertThat(woken).isEmpty();
    queue.roomFreed(NAMESPACE);
    assertThat(woken).containsExactly("a");
    assertThat(queue.turn(NAMESPACE, who("a", 1))).isEmpty();
  }

  @Test
  void whoeverLeavesLetsTheNextOneAskAtOnce() {
    for (String uid : List.of("a", "b", "c")) {
      queue.refused(NAMESPACE, who(uid, 1), "");
    }
    queue.leave(NAMESPACE, "c");
    assertThat(woken).as("it was not the first").isEmpty();
    queue.leave(NAMESPACE, "a");
    assertThat(woken).containsExactly("b");
    assertThat(queue.turn(NAMESPACE, who("b", 1))).isEmpty();
    queue.leave(NAMESPACE, "b");
    queue.leave(NAMESPACE, "b");
    assertThat(queue.turn(NAMESPACE, who("d", 1))).isEmpty();
    assertThat(queue.contains(NAMESPACE, "d")).isFalse();
  }

  @Test
  void oneThatIsGoneHoldsNobodyUp() {
    queue.refused(NAMESPACE, who("a", 1), "");
    queue.refused(NAMESPACE, who("b", 2), "");
    gone.add("a");
    clock.advance(Duration.ofSeconds(10));
    assertThat(queue.turn(NAMESPACE, who("b", 2))).isEmpty();
    queue.roomFreed(NAMESPACE);
    assertThat(woken).containsExactly("b");
  }

  @Test
  void whatTakesMoreThanTheWholeQuotaHoldsUpNobodyWhoFits() {
    String never = "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0";
    queue.refused(NAMESPACE, who("huge", 1), "exceeded quota");
    assertThat(queue.turn(NAMESPACE, who("small", 2))).isPresent();
    clock.advance(Duration.ofSeconds(1));
    assertThat(queue.turn(NAMESPACE, who("huge", 1))).isEmpty();
    queue.refused(NAMESPACE, who("huge", 1), never);
    assertThat(queue.turn(NAMESPACE, who("small", 2))).isEmpty();
    assertThat(queue.turn(NAMESPACE, who("huge", 1))).isPresent();
    assertThat(queue.lastRefusal(NAMESPACE, "huge")).isEqualTo(never);

    queue.leave(NAMESPACE, "small");
    assertThat(queue.turn(NAMESPACE, who("next", 3))).isEmpty();
    queue.refused(NAMESPACE, who("huge-too", 4), never);
    assertThat(queue.isFirst(NAMESPACE, "huge-too")).isFalse();
    queue.leave(NAMESPACE, "huge");
    assertThat(woken).contains("huge-too");
  }

  @Test
  void callersTakeTurnsAndTheOldestOfEachIsFirst() {
    queue.refused(NAMESPACE, who("a2", "a", 2), "");
    for (Waiting next :
        List.of(who("a1", "a", 1), who("a3", "a", 3), who("b9", "b", 9), who("b8", "b", 8))) {
      assertThat(queue.turn(NAMESPACE, next)).isPresent();
    }
    assertThat(served("a1", "a2", "a3", "b8", "b9")).containsExactly("a1", "b8", "a2", "b9", "a3");
  }

  @Test
  void aThousandOfOneCallerHoldUpAnotherForOneTurn() {
    queue.refused(NAMESPACE, who("many0", "many", 0), "");
    for (int i = 1; i < 1000; i++) {
      assertThat(queue.turn(NAMESPACE, who("many" + i, "many", i))).isPresent();
    }
    assertThat(queue.turn(NAMESPACE, who("single", "single", 5000))).isPresent();
    queue.leave(NAMESPACE, "many0");
    assertThat(queue.isFirst(NAMESPACE, "single")).isTrue();
  }

  @Test
  void aCallerThatComesBackAtOnceDoesNotOvertakeAnotherWhoWaits() {
    queue.refused(NAMESPACE, who("a1", "a", 1), "");
    queue.refused(NAMESPACE, who("a2", "a", 2), "");
    queue.refused(NAMESPACE, who("b1", "b", 1), "");
    queue.leave(NAMESPACE, "a1");
    queue.leave(NAMESPACE, "b1");
    assertThat(queue.turn(NAMESPACE, who("b2", "b", 1))).isPresent();
    assertThat(queue.isFirst(NAMESPACE, "a2")).isTrue();
  }

  @Test
  void whoeverLeavesBeforeItsTurnCostsItsCallerNone() {
    queue.refused(NAMESPACE, who("a1", "a", 1), "");
    queue.refused(NAMESPACE, who("a2", "a", 2), "");
    queue.refused(NAMESPACE, who("b1", "b", 3), "");
    queue.leave(NAMESPACE, "a2");
    assertThat(queue.isFirst(NAMESPACE, "a1")).isTrue();
    assertThat(woken).isEmpty();
  }

  @Test
  void ofACallerWhoseFirstIsGoneTheNextWaitsForAnotherTurn() {
    queue.refused(NAMESPACE, who("a1", "a", 1), "");
    queue.refused(NAMESPACE, who("a2", "a", 2), "");
    queue.refused(NAMESPACE, who("a3", "a", 3), "");
    queue.refused(NAMESPACE, who("b1", "b", 4), "");
    gone.addAll(List.of("a1", "a2"));
    assertThat(queue.isFirst(NAMESPACE, "b1")).isTrue();
    queue.leave(NAMESPACE, "b1");
    assertThat(woken).containsExactly("a3");
  }

  @Test
  void theNextIsWokenAlsoIfTheFirstIsKnownToHaveEndedBeforeItLeaves() {
    queue.refused(NAMESPACE, who("a", 1), "");
    queue.refused(NAMESPACE, who("b", 2), "");
    gone.add("a");
    queue.leave(NAMESPACE, "a");
    assertThat(woken).containsExactly("b");
    assertThat(queue.turn(NAMESPACE, who("b", 2))).isEmpty();
  }

  @Test
  void aNewLeaderHasCallersTakeTurnsInTheOrderOfTheirOldest() {
    queue.rebuild(
        NAMESPACE,
        () -> List.of(who("a2", "a", 2), who("b3", "b", 3), who("b0", "b", 0), who("a1", "a", 1)));
    assertThat(served("a1", "a2", "b0", "b3")).containsExactly("b0", "a1", "b3", "a2");
  }

  @Test
  void aNewLeaderLinesUpThoseThatWaitedAndDoesSoOnce() {
    queue.rebuild(NAMESPACE, () -> List.of(who("c", 3), who("a", 1), who("b", 2)));
    queue.rebuild(NAMESPACE, () -> List.of(who("d", 0)));
    assertThat(queue.turn(NAMESPACE, who("c", 3))).isPresent();
    assertThat(queue.turn(NAMESPACE, who("a", 1))).isEmpty();
    assertThat(queue.isFirst(NAMESPACE, "c")).isFalse();
  }

  /** The order in which these get their Pods. */
  private List<String> served(String... uids) {
    List<String> order = new ArrayList<>();
    List<String> left = new ArrayList<>(List.of(uids));
    while (!left.isEmpty()) {
      String first =
          left.stream().filter(uid -> queue.isFirst(NAMESPACE, uid)).findFirst().orElseThrow();
      order.add(first);
      left.remove(first);
      queue.leave(NAMESPACE, first);
    }
    return order;
  }

  private Waiting who(String uid, long createdSecond) {
    return who(uid, "caller", createdSecond);
  }

  private Waiting who(String uid, String caller, long createdSecond) {
    return new Waiting(
        uid,
        caller,
        new CreationOrder(Instant.ofEpochSecond(createdSecond), 0),
        () -> !gone.contains(uid),
        () -> woken.add(uid));
  }
}
