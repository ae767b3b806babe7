package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class FixtureTest {
  @Test
  void refusedFixturesSayWhyAndAcceptedOnesDoNot() {
    assertThat(Fixture.all("refused")).isNotEmpty().allMatch(f -> f.refusal().isPresent());
    assertThat(Fixture.all("accepted")).isNotEmpty().allMatch(f -> f.refusal().isEmpty());
  }

  @Test
  void everyUpdateHasABeforeAndAnAfter() {
    List<String> names = Fixture.all("updates").stream().map(Fixture::name).toList();
    assertThat(without(names, ".before")).isNotEmpty().isEqualTo(without(names, ".after"));
  }

  @Test
  void everyKindHasBoth() {
    for (String folder : List.of("accepted", "refused")) {
      assertThat(Fixture.all(folder).stream().map(f -> f.name().replaceAll("-.*", "")))
          .contains("run", "dataset", "class");
    }
  }

  @Test
  void repetitionsAreWrittenOut() {
    assertThat(Fixture.all("accepted"))
        .anySatisfy(
            fixture -> {
              assertThat(fixture.name()).isEqualTo("dataset-name-longest");
              assertThat(fixture.yaml()).contains("name: " + "x".repeat(63) + "\n");
            });
  }

  private static List<String> without(List<String> names, String ending) {
    UnaryOperator<String> cut = name -> name.substring(0, name.length() - ending.length());
    return names.stream().filter(name -> name.endsWith(ending)).map(cut).toList();
  }
}
