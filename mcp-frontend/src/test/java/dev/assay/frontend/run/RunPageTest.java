package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunPageTest {
  @Test
  void runsOfOneSecondAreToldApartByTheirNames() {
    List<AnalyticsRun> all = List.of(run("b", 1), run("c", 1), run("a", 2), run("d", 0));

    RunPage first = RunPage.of(all, null, null, 2);
    RunPage second = RunPage.of(all, null, first.next(), 2);

    assertThat(names(first)).containsExactly("a", "c");
    assertThat(names(second)).containsExactly("b", "d");
    assertThat(second.next()).isNull();
  }

  @Test
  void runsThatComeAndGoBetweenTwoPagesShiftNothing() {
    List<AnalyticsRun> all =
        new ArrayList<>(List.of(run("a", 1), run("b", 2), run("c", 3), run("d", 4)));
    RunPage first = RunPage.of(all, null, null, 2);

    all.add(run("e", 5));
    all.removeIf(run -> run.getMetadata().getName().equals("c"));
    RunPage second = RunPage.of(all, null, first.next(), 2);

    assertThat(names(first)).containsExactly("d", "c");
    assertThat(names(second)).containsExactly("b", "a");
  }

  @Test
  void aPlaceComesBackFromItsToken() {
    RunPage.Place place =
        Objects.requireNonNull(RunPage.of(List.of(run("a", 1), run("b", 2)), null, null, 1).next());

    assertThat(RunPage.Place.ofToken(place.token())).hasValue(place);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "!", "YQ", "\u00e9"})
  void whatIsNoTokenIsNoPlace(String token) {
    assertThat(RunPage.Place.ofToken(token)).isEmpty();
  }

  private static AnalyticsRun run(String name, int second) {
    AnalyticsRun run = Fixtures.run(name, null);
    run.getMetadata().setCreationTimestamp("2026-01-02T03:04:0" + second + "Z");
    return run;
  }

  private static List<String> names(RunPage page) {
    return page.runs().stream().map(run -> run.getMetadata().getName()).toList();
  }
}
