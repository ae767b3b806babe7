package dev.assay.jvm.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AllocationTest {
  @Test
  void strataShareInProportion() {
    assertThat(Allocation.divide(List.of(600L, 300L, 100L), 10)).containsExactly(6, 3, 1);
  }

  @Test
  void theLargestRemaindersGetWhatIsLeft() {
    assertThat(Allocation.divide(List.of(47L, 16L, 37L), 10)).containsExactly(5, 1, 4);
  }

  @Test
  void aSmallStratumHasOneRow() {
    assertThat(Allocation.divide(List.of(900L, 90L, 10L), 20)).containsExactly(17, 2, 1);
    assertThat(Allocation.divide(List.of(1_000_000_000_000L, 1L, 1L), 3)).containsExactly(1, 1, 1);
  }

  @Test
  void allRowsAreDividedAndNoStratumHasMoreThanItsOwn() {
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      List<Long> strata = new ArrayList<>();
      int count = 1 + random.nextInt(20);
      for (int j = 0; j < count; j++) {
        strata.add(1 + (long) (random.nextDouble() * random.nextInt(1000)));
      }
      long rows = strata.stream().mapToLong(stratum -> stratum).sum();
      int size = (int) Math.min(rows, count + random.nextInt(100));

      int[] allocated = Allocation.divide(strata, size);

      assertThat(Arrays.stream(allocated).sum()).isEqualTo(size);
      for (int j = 0; j < count; j++) {
        assertThat((long) allocated[j]).isBetween(1L, strata.get(j));
      }
    }
  }
}
