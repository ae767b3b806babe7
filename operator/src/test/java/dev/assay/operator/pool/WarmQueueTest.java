package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WarmQueueTest {
  private static final RunClass CLASS =
      Samples.runClass(
          Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, null)));
  private static final PoolTemplate TEMPLATE = template(CLASS);

  private final ManualClock clock = new ManualClock();
  private final WarmPods pods = new WarmPods(clock);
  private final WarmQueue queue = pods.queue();
  private final List<String> woken = new ArrayList<>();
  private final Set<String> gone = new HashSet<>();

  @Test
  void aRunIsGivenAPodWhileNobodyWaits() {
    assertThat(queue.mayTake(TEMPLATE, newest("new"))).as("none is idle").isFalse();
    podIsIdle("pod-1");
    assertThat(take("new")).isTrue();
    assertThat(take("next")).isFalse();
  }

  @Test
  void aPodThatBecomesIdleIsThatOfTheOldestRunThatWaits() {
    runWaits("younger", "me", 2);
    runWaits("older", "me", 1);
    podIsIdle("pod-1");
    assertThat(woken).containsExactly("older");
    assertThat(take("new")).isFalse();
    assertThat(take("younger")).isFalse();
    assertThat(take("older")).isTrue();
  }

  @Test
  void aRunBehindOneThatWasDeletedIsWokenAgain() {
    runWaits("first", "me", 1);
    runWaits("next", "me", 2);
    podIsIdle("pod-1");
    assertThat(woken).containsExactly("first");
    gone.add("first");
    queue.wakeAll();
    assertThat(woken).containsExactly("first", "next");
    assertThat(take("next")).isTrue();
    queue.wakeAll();
    assertThat(woken).hasSize(2);
  }

  @Test
  void aRunIsGivenAPodBeforeYoungerOnesThatWaitAlready() {
    runWaits("younger", "me", 3);
    runWaits("youngest", "me", 4);
    podIsIdle("pod-1");
    assertThat(take(waiting("newest", "me", 5))).isFalse();
    assertThat(take(waiting("oldest", "me", 2))).isTrue();
    assertThat(queue.contains("oldest")).isFalse();
    assertThat(queue.count(TEMPLATE.key())).isEqualTo(2);
  }

  @Test
  void theFirstRunOfACallerTakesItsTurnBeforeTheSecondOfAnother() {
    runWaits("a-1", "a", 1);
    runWaits("a-2", "a", 2);
    podIsIdle("pod-1");
    assertThat(queue.mayTake(TEMPLATE, waiting("b-1", "b", 3))).isFalse();
    podIsIdle("pod-2");
    assertThat(queue.mayTake(TEMPLATE, waiting("b-1", "b", 3))).isTrue();
    assertThat(queue.mayTake(TEMPLATE, waiting("a-3", "a", 3))).isFalse();
  }

  @Test
  void callersTakeTurns() {
    runWaits("a-1", "a", 1);
    runWaits("a-2", "a", 2);
    runWaits("b-1", "b", 3);
    for (String next : List.of("a-1", "b-1", "a-2")) {
      podIsIdle("pod-of-" + next);
      assertThat(woken.getLast()).isEqualTo(next);
      assertThat(take(next)).isTrue();
      queue.leave(next);
    }
  }

  @Test
  void theNextRunIsWokenWhereMorePodsAreIdle() {
    runWaits("first", "me", 1);
    runWaits("second", "me", 2);
    podIsIdle("pod-1");
    podIsIdle("pod-2");
    assertThat(take("first")).isTrue();
    queue.leave("first");
    assertThat(woken.getLast()).isEqualTo("second");
    assertThat(take("second")).isTrue();
  }

  @Test
  void aRunThatIsSlowToTakeItsPodKeepsOneAndNoMore() {
    runWaits("slow", "me", 1);
    podIsIdle("pod-1");
    assertThat(take("new")).isFalse();
    podIsIdle("pod-2");
    assertThat(take("new")).isTrue();
    assertThat(take("newer")).isFalse();
  }

  @Test
  void aRunThatIsSlowToTakeItsPodKeepsNoneFromThoseBehindIt() {
    runWaits("slow", "me", 1);
    runWaits("second", "me", 2);
    runWaits("third", "me", 3);
    podIsIdle("pod-1");
    assertThat(woken).containsExactly("slow");
    podIsIdle("pod-2");
    assertThat(woken).contains("second").doesNotContain("third");
    assertThat(take("third")).isFalse();
    assertThat(take("second")).isTrue();
    assertThat(take("third")).as("the other one is that of the slow run").isFalse();
    assertThat(take("slow")).isTrue();
  }

  @Test
  void aRunIsWokenWhenOneBeforeItLeavesAPodToIt() {
    runWaits("slow", "me", 1);
    runWaits("leaves", "me", 2);
    runWaits("next", "me", 3);
    podIsIdle("pod-1");
    podIsIdle("pod-2");
    woken.clear();
    queue.leave("leaves");
    assertThat(woken).contains("next");
    assertThat(take("next")).isTrue();
  }

  @Test
  void aCallerThatIsServedBeforeASlowOneHadItsTurn() {
    runWaits("slow", "a", 1);
    runWaits("b-1", "b", 2);
    runWaits("b-2", "b", 3);
    runWaits("c-1", "c", 4);
    podIsIdle("pod-1");
    podIsIdle("pod-2");
    assertThat(take("b-1")).isTrue();
    podIsIdle("pod-3");
    assertThat(take("b-2")).isFalse();
    assertThat(take("c-1")).isTrue();
  }

  @Test
  void aRunThatBeginsToWaitOnceAPodIsIdleIsWokenOnce() {
    podIsIdle("pod-1");
    runWaits("late", "me", 1);
    runWaits("late", "me", 1);
    assertThat(woken).containsExactly("late");
  }

  @Test
  void runsThatAreGoneHoldNobodyUp() {
    runWaits("gone", "me", 1);
    runWaits("waits", "me", 2);
    gone.add("gone");
    assertThat(queue.count(TEMPLATE.key())).isEqualTo(1);
    podIsIdle("pod-1");
    assertThat(woken).containsExactly("waits");
    assertThat(take("waits")).isTrue();
    gone.add("waits");
    queue.prune();
    assertThat(queue.contains("waits")).isFalse();
  }

  @Test
  void runsOfOtherPoolsDoNotWaitForIt() {
    RunClass other = Samples.runClass(CLASS.getSpec());
    other.getMetadata().setName("other");
    queue.add(template(other).key(), waiting("other", "me", 1));
    podIsIdle("pod-1");
    assertThat(woken).isEmpty();
    assertThat(take("new")).isTrue();
  }

  /** Which is to be replaced, and is given to no run. */
  @Test
  void aPodOfAnEarlierTemplateIsNobodysTurn() {
    RunClass changed = Samples.runClass(CLASS.getSpec().withImage("other:1"));
    runWaits("waits", "me", 1);
    podIsIdle("pod-1");
    assertThat(queue.mayTake(template(changed), newest("waits"))).isFalse();
  }

  @Test
  void aPodThatWasNotTestedForAWhileIsNobodysTurn() {
    runWaits("waits", "me", 1);
    podIsIdle("pod-1");
    clock.advance(WarmPods.MAX_UNCHECKED.plusMillis(1));
    assertThat(queue.mayTake(TEMPLATE, newest("waits"))).isFalse();
  }

  private void runWaits(String uid, String caller, int created) {
    queue.add(TEMPLATE.key(), waiting(uid, caller, created));
  }

  /** A run that is newer than all others of its caller, if it does not wait already. */
  private Waiting newest(String uid) {
    return waiting(uid, "me", 100);
  }

  private Waiting waiting(String uid, String caller, int created) {
    return new Waiting(
        uid,
        caller,
        new CreationOrder(Instant.EPOCH.plusSeconds(created), 0),
        () -> !gone.contains(uid),
        () -> woken.add(uid));
  }

  /** As the check of a Pod does that it has passed. */
  private void podIsIdle(String uid) {
    Pod pod =
        new PodBuilder(Samples.runningPod(7333)).editMetadata().withUid(uid).endMetadata().build();
    IdlePods.offer(pods, TEMPLATE, pod, clock.instant());
    queue.podIsIdle(TEMPLATE.key());
  }

  private boolean take(String uid) {
    return take(newest(uid));
  }

  private boolean take(Waiting who) {
    boolean isTaken = queue.take(TEMPLATE, who, any -> true).isPresent();
    if (isTaken) {
      queue.served(who.uid());
    }
    return isTaken;
  }

  private static PoolTemplate template(RunClass runClass) {
    return new PoolTemplate(
        Samples.config().namespaces().getFirst(),
        runClass,
        Program.PYTHON,
        "k-1=abc",
        Optional.empty(),
        new WarmPodLimits(Duration.ofMinutes(10), Map.of()));
  }
}
