package dev.assay.operator.egress;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.egress.EgressCheck.Closed;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NetworkConditionTest {
  private final ManualClock clock = new ManualClock();
  private final Map<String, Verdict> latest = new HashMap<>();
  private final RunClass runClass =
      Samples.runClass(
          Samples.classSpec(Purpose.Run)
              .withEgressCheck(RunClassSpec.EgressCheck.Required)
              .withAllowedNamespaces(List.of("team-a", "team-b")));

  /** As a new leader has it. */
  private NetworkCondition network() {
    return new NetworkCondition(
        List.of("team-a", "team-b", "team-c"),
        (namespace, of) -> Optional.ofNullable(latest.get(namespace)),
        clock);
  }

  private Condition condition() {
    Condition condition = requireNonNull(network().of(runClass));
    runClass.setStatus(RunClassStatus.EMPTY.withConditions(List.of(condition)));
    return condition;
  }

  @Test
  void itIsUnknownUntilAPodWasTested() {
    assertThat(condition().getStatus()).isEqualTo("Unknown");
    latest.put("team-a", new Closed());
    assertThat(condition().getStatus()).isEqualTo("True");
  }

  @Test
  void onePodThatConnectsMakesItFalseInAnyNamespaceOfTheClass() {
    latest.put("team-a", new Closed());
    latest.put("team-b", new NotClosed(true, "open"));
    Condition open = condition();
    assertThat(open.getStatus()).isEqualTo("False");
    assertThat(open.getMessage()).isEqualTo("open");
  }

  @Test
  void aNamespaceThatTheClassIsNotOpenToDoesNotMatter() {
    latest.put("team-a", new Closed());
    latest.put("team-c", new NotClosed(true, "open"));
    assertThat(condition().getStatus()).isEqualTo("True");
  }

  @Test
  void aNewLeaderKeepsWhatTheLastOneHasSeenAndSinceWhen() {
    latest.put("team-a", new Closed());
    Condition before = condition();
    latest.clear();
    clock.advance(Duration.ofHours(1));
    assertThat(condition()).isEqualTo(before);
  }

  @Test
  void itsTimeIsThatOfTheLastTransition() {
    latest.put("team-a", new Closed());
    Condition before = condition();
    clock.advance(Duration.ofHours(1));
    latest.put("team-a", new NotClosed(true, "open"));
    assertThat(condition().getLastTransitionTime()).isNotEqualTo(before.getLastTransitionTime());
  }

  @Test
  void aClassWithoutTheCheckClaimsNothing() {
    latest.put("team-a", new Closed());
    runClass.setSpec(runClass.getSpec().withEgressCheck(RunClassSpec.EgressCheck.Disabled));
    assertThat(condition().getReason()).isEqualTo("CheckDisabled");
    assertThat(network().of(Samples.runClass(Samples.classSpec(Purpose.Snapshot)))).isNull();
  }
}
