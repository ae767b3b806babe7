package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.pod.PodUsers;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UserIdsTest {
  private static final UserIdRange RANGE = new UserIdRange(20_000, 20_009);

  private final ManualClock clock = new ManualClock();
  private final UserIds ids = new UserIds(clock);
  private final List<Pod> live = new ArrayList<>();

  @Test
  void noTwoPodsShareAnIdWhetherACacheShowsThemOrNot() {
    Set<Long> taken = new HashSet<>();
    for (int i = 0; i < RANGE.pairs(); i++) {
      PodUsers users = ids.reserve("run-" + i, RANGE, live).orElseThrow();
      assertThat(taken.add(users.supervisor())).isTrue();
      assertThat(taken.add(users.worker())).isTrue();
      if (i % 2 == 0) {
        live.add(pod("run-" + i, "2026-01-01T00:00:00Z", users));
      }
    }
    assertThat(taken).allMatch(id -> id >= RANGE.first() && id <= RANGE.last());
    assertThat(ids.reserve("run-more", RANGE, live)).isEmpty();
  }

  @Test
  void theIdsOfAPodThatIsGoneAreAssignedAgain() {
    UserIdRange one = new UserIdRange(20_000, 20_001);
    Pod first = pod("run-1", "2026-01-01T00:00:00Z", ids.reserve("run-1", one, live).orElseThrow());
    assertThat(ids.reserve("run-2", one, List.of(first))).isEmpty();
    assertThat(ids.reserve("run-2", one, List.of())).contains(new PodUsers(20_000, 20_001));
  }

  @Test
  void aPodThatHasEndedAndContainersOfOthersTakeNoIds() {
    UserIdRange one = new UserIdRange(20_000, 20_001);
    Pod running = pod("run-1", "2026-01-01T00:00:00Z", new PodUsers(20_000, 20_001));
    Pod ended = new PodBuilder(running).withNewStatus().withPhase("Succeeded").endStatus().build();
    Pod foreign =
        new PodBuilder(running)
            .editSpec()
            .editContainer(0)
            .withName("a")
            .endContainer()
            .editContainer(1)
            .withName("b")
            .endContainer()
            .endSpec()
            .build();
    assertThat(ids.reserve("run-2", one, List.of(running))).isEmpty();
    assertThat(ids.reserve("run-2", one, List.of(ended, foreign))).isPresent();
  }

  @Test
  void aRepeatedCreationOfOnePodGetsTheSameIds() {
    assertThat(ids.reserve("run-1", RANGE, live)).isEqualTo(ids.reserve("run-1", RANGE, live));
  }

  @Test
  void idsOfAPodThatWasNeverCreatedAreNotLost() {
    UserIdRange one = new UserIdRange(20_000, 20_001);
    ids.reserve("run-1", one, live);
    clock.advance(Duration.ofMinutes(11));
    assertThat(ids.reserve("run-2", one, live)).isPresent();
  }

  @Test
  void aRangeThatBeginsBetweenTwoPairsOfAnotherOneSharesNoId() {
    live.add(pod("run-1", "2026-01-01T00:00:00Z", new PodUsers(20_001, 20_002)));
    assertThat(ids.reserve("run-2", new UserIdRange(20_000, 20_003), live)).isEmpty();
  }

  @Test
  void ofTwoPodsThatShareAnIdTheYoungerOneIsFound() {
    Pod older = pod("run-1", "2026-01-01T00:00:00Z", new PodUsers(20_000, 20_001));
    Pod younger = pod("run-2", "2026-01-01T00:00:01Z", new PodUsers(20_001, 20_002));
    Pod other = pod("run-3", "2026-01-01T00:00:02Z", new PodUsers(20_004, 20_005));
    List<Pod> all = List.of(older, younger, other);
    for (List<Pod> order : List.of(all, all.reversed())) {
      UserIdHolders holders = UserIdHolders.of(order);
      assertThat(holders.haveOlderThan(older)).isFalse();
      assertThat(holders.haveOlderThan(younger)).isTrue();
      assertThat(holders.haveOlderThan(other)).isFalse();
    }
  }

  private static Pod pod(String name, String created, PodUsers users) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid(name)
        .withCreationTimestamp(created)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("supervisor")
        .withNewSecurityContext()
        .withRunAsUser(users.supervisor())
        .endSecurityContext()
        .endContainer()
        .addNewContainer()
        .withName("worker")
        .withNewSecurityContext()
        .withRunAsUser(users.worker())
        .endSecurityContext()
        .endContainer()
        .endSpec()
        .build();
  }
}
