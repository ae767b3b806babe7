package dev.assay.jvm.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PositionsTest {
  @Test
  void headIsTheFirstRows() {
    assertThat(Positions.head(3, 10)).containsExactly(0L, 1L, 2L);
    assertThat(Positions.head(3, 2)).containsExactly(0L, 1L);
    assertThat(Positions.head(3, 0)).isEmpty();
  }

  @Test
  void systematicRowsAreEvenlySpread() {
    assertThat(Positions.systematic(4, 10)).containsExactly(0L, 2L, 5L, 7L);
    assertThat(Positions.systematic(20, 3)).containsExactly(0L, 1L, 2L);
    assertThat(Positions.systematic(3, 0)).isEmpty();
    assertThat(Positions.systematic(2, 10_000_000_000L)).containsExactly(0L, 5_000_000_000L);
  }

  @Test
  void aSeedReturnsTheSameRowsInTheSameOrder() {
    List<Long> rows = Positions.random(20, 1_000_000, 42);

    assertThat(rows).hasSize(20).doesNotHaveDuplicates();
    assertThat(rows).allMatch(row -> row >= 0 && row < 1_000_000);
    assertThat(Positions.random(20, 1_000_000, 42)).isEqualTo(rows);
    assertThat(Positions.random(20, 1_000_000, 43)).isNotEqualTo(rows);
  }

  @Test
  void aSampleOfAllRowsIsAllRows() {
    assertThat(Positions.random(5, 3, 1)).containsExactlyInAnyOrder(0L, 1L, 2L);
    assertThat(Positions.random(5, 0, 1)).isEmpty();
  }

  @Test
  void eachOrderOfEachSetOfRowsIsAsProbableAsAnyOther() {
    Map<List<Long>, Integer> counts = new HashMap<>();
    for (int seed = 0; seed < 10_000; seed++) {
      counts.merge(Positions.random(2, 5, seed), 1, Integer::sum);
    }

    assertThat(counts).hasSize(20);
    assertThat(new HashSet<>(counts.values()))
        .allSatisfy(count -> assertThat(count).isCloseTo(500, within(110)));
  }
}
