package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.kubernetes.SlotQueue.Slots;
import dev.assay.operator.kubernetes.SlotQueue.Use;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlotQueueTest {
  private static final Slots SLOTS = Slots.ofClass("team-a", "javascript");

  private final SlotQueue queue = new SlotQueue();
  private final Set<String> started = new HashSet<>();
  private final Set<String> gone = new HashSet<>();
  private final List<String> woken = new ArrayList<>();
  private int limit = 2;

  @Test
  void asManyAsTheLimitHaveASlotAndTheOthersFollowInTheirOrder() {
    assertThat(take("a", 1)).isTrue();
    assertThat(take("b", 2)).isTrue();
    assertThat(take("d", 4)).isFalse();
    assertThat(take("c", 3)).isFalse();
    assertThat(take("a", 1)).as("it has one already").isTrue();
    assertThat(queue.isWaiting("c")).isTrue();
    assertThat(queue.isWaiting("a")).isFalse();

    queue.leave("b");
    assertThat(woken).as("the oldest").containsExactly("c");
    assertThat(take("d", 4)).isFalse();
    assertThat(take("c", 3)).isTrue();
    queue.leave("a");
    assertThat(woken).containsExactly("c", "d");
    assertThat(take("d", 4)).isTrue();
  }

  @Test
  void oneThatComesLaterDoesNotTakeASlotThatIsFreeBeforeThoseThatWait() {
    limit = 1;
    take("a", 1);
    take("b", 2);
    queue.leave("a");
    assertThat(take("c", 3)).isFalse();
    assertThat(take("b", 2)).isTrue();
  }

  @Test
  void callersTakeTurns() {
    limit = 1;
    take("a", 1);
    take("b", 2);
    take("c", 3);
    assertThat(queue.take(SLOTS, who("z", 9, "another"), () -> new Use(limit, started))).isFalse();
    queue.leave("a");
    assertThat(take("b", 2)).isTrue();
    queue.leave("b");
    assertThat(woken).containsExactly("b", "z");
  }

  @Test
  void classesAndNamespacesDoNotShareSlots() {
    limit = 1;
    assertThat(take("a", 1)).isTrue();
    assertThat(take(Slots.ofClass("team-b", "javascript"), "b")).isTrue();
    assertThat(take(Slots.ofClass("team-a", "python"), "c")).isTrue();
    assertThat(take("d", 1)).isFalse();
  }

  @Test
  void whatAnEarlierLeaderHasStartedCountsUntilItEnds() {
    started.addAll(List.of("old-1", "old-2"));
    assertThat(take("a", 1)).isFalse();
    started.remove("old-1");
    queue.leave("old-1");
    assertThat(woken).containsExactly("a");
    assertThat(take("a", 1)).isTrue();
    started.add("a");
    assertThat(take("b", 2)).as("one that has its Pod counts once").isFalse();
    queue.leave("old-2");
    started.remove("old-2");
    assertThat(take("b", 2)).isTrue();
  }

  @Test
  void whatWaitedUnderAnEarlierLeaderIsBeforeWhatComesLater() {
    limit = 1;
    queue.restore(SLOTS, () -> List.of(who("b", 2), who("a", 1)));
    assertThat(take("c", 0)).as("the caller's oldest").isTrue();
    queue.restore(SLOTS, () -> List.of(who("d", 0)));
    queue.leave("c");
    assertThat(woken).containsExactly("a");
    assertThat(queue.isWaiting("d")).as("restored once").isFalse();
  }

  @Test
  void whoeverTakesASlotWakesTheNextWhileOneIsFree() {
    limit = 3;
    queue.restore(SLOTS, () -> List.of(who("a", 1), who("b", 2), who("c", 3), who("d", 4)));
    take("a", 1);
    assertThat(woken).containsExactly("b");
    take("b", 2);
    take("c", 3);
    assertThat(woken).as("there is none for d").containsExactly("b", "c");
  }

  @Test
  void oneThatIsDeletedHoldsNobodyUp() {
    limit = 1;
    take("a", 1);
    take("b", 2);
    take("c", 3);
    gone.add("a");
    queue.podEnded("team-b");
    assertThat(woken).isEmpty();
    queue.podEnded("team-a");
    assertThat(woken).containsExactly("b");
    gone.add("b");
    assertThat(take("c", 3)).isTrue();
  }

  @Test
  void theFirstOfEachQueueOfANamespaceLooksWhenThereMayBeRoom() {
    limit = 1;
    take("a", 1);
    take("b", 2);
    take("c", 3);
    queue.roomFreed("team-b");
    assertThat(woken).isEmpty();
    queue.roomFreed("team-a");
    assertThat(woken).containsExactly("b");
  }

  @Test
  void aHigherLimitAppliesAtTheNextLook() {
    limit = 1;
    take("a", 1);
    assertThat(take("b", 2)).isFalse();
    limit = 2;
    assertThat(take("b", 2)).isTrue();
    limit = 1;
    queue.leave("a");
    assertThat(take("c", 3)).isFalse();
  }

  @Test
  void whoeverStopsWaitingLetsTheNextOneLook() {
    limit = 1;
    take("a", 1);
    take("b", 2);
    take("c", 3);
    queue.leave("c");
    assertThat(woken).as("it was not first").isEmpty();
    take("c", 3);
    queue.leave("b");
    assertThat(woken).containsExactly("c");
    queue.leave("unknown");
    assertThat(woken).hasSize(1);
  }

  @Test
  void oneThatAnEarlierLeaderGaveItsPodHoldsNobodyUp() {
    queue.restore(SLOTS, () -> List.of(who("a", 1), who("b", 2)));
    started.add("a");
    assertThat(take("b", 2)).as("a is before it").isFalse();
    queue.stopWaiting("a");
    assertThat(woken).containsExactly("b");
    assertThat(take("b", 2)).isTrue();

    queue.stopWaiting("b");
    assertThat(take("c", 3)).as("b keeps its slot").isFalse();
  }

  private boolean take(String uid, int created) {
    return queue.take(SLOTS, who(uid, created), () -> new Use(limit, started));
  }

  private boolean take(Slots slots, String uid) {
    return queue.take(slots, who(uid, 1), () -> new Use(limit, Set.of()));
  }

  private Waiting who(String uid, int created) {
    return who(uid, created, "caller");
  }

  private Waiting who(String uid, int created, String caller) {
    return new Waiting(
        uid,
        caller,
        new CreationOrder(Instant.ofEpochSecond(created), 0),
        () -> !gone.contains(uid),
        () -> woken.add(uid));
  }
}
