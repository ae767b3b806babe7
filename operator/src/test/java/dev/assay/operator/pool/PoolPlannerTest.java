package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import dev.assay.operator.pool.PoolPlanner.Member;
import dev.assay.operator.pool.PoolPlanner.Role;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolPlannerTest {
  private static final int MAX = PoolPlanner.MAX_STARTING;

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, 0",
    "2, 0, 0, 0, 2",
    "2, 1, 0, 0, 1",
    "2, 1, 1, 0, 0",
    "2, 1, 0, 1, 0",
    "2, 0, 1, 1, 0",
    "2, 3, 0, 0, 0",
    "1, 0, 2, 0, 0"
  })
  void whatIsMissingIsCreatedAndWhatStartsIsNotMissing(
      int wanted, int idle, int starting, int unlisted, int created) {
    assertThat(PoolPlanner.plan(wanted, members(idle, starting, 0), unlisted).create())
        .isEqualTo(created);
  }

  @Test
  void fewStartAtOnce() {
    assertThat(PoolPlanner.plan(100, List.of(), 0).create()).isEqualTo(MAX);
    assertThat(PoolPlanner.plan(100, members(0, MAX, 0), 0).create()).isZero();
    assertThat(PoolPlanner.plan(100, members(0, 1, 0), MAX - 1).create()).isZero();
    assertThat(PoolPlanner.plan(100, members(0, MAX - 1, 0), 0).create()).isEqualTo(1);
  }

  @Test
  void aPodThatHasAJobElsewhereIsReplaced() {
    assertThat(PoolPlanner.plan(2, members(0, 0, 2), 0))
        .isEqualTo(new PoolPlanner.Plan(2, List.of()));
  }

  @Test
  void idlePodsThatAreTooManyAreRetiredTheOldestFirst() {
    List<Member> members = members(3, 1, 1);
    assertThat(PoolPlanner.plan(1, members, 0).retire())
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly("IDLE-0", "IDLE-1");
    assertThat(PoolPlanner.plan(1, members.reversed(), 0).retire())
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly("IDLE-0", "IDLE-1");
    assertThat(PoolPlanner.plan(3, members, 0).retire()).isEmpty();
    assertThat(PoolPlanner.plan(0, members, 0).retire()).hasSize(3);
  }

  private static List<Member> members(int idle, int starting, int used) {
    List<Member> members = new ArrayList<>();
    add(members, Role.IDLE, idle);
    add(members, Role.STARTING, starting);
    add(members, Role.USED, used);
    return members;
  }

  /** The first is the oldest. */
  private static void add(List<Member> members, Role role, int count) {
    for (int number = 0; number < count; number++) {
      Pod pod =
          new PodBuilder(Samples.runningPod(7333))
              .editMetadata()
              .withName(role + "-" + number)
              .withCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString())
              .endMetadata()
              .build();
      members.add(new Member(pod, role));
    }
  }
}
