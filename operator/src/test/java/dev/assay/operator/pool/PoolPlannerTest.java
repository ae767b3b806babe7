package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolPlannerTest {
  @ParameterizedTest
  @CsvSource({"0, 0, 0, 0", "2, 0, 0, 2", "2, 1, 0, 1", "2, 1, 1, 0", "2, 3, 0, 0", "1, 0, 2, 0"})
  void whatIsMissingIsCreatedAndWhatStartsIsNotMissing(
      int wanted, int idle, int starting, int created) {
    assertThat(PoolPlanner.toCreate(wanted, idle, starting)).isEqualTo(created);
  }

  @Test
  void fewStartAtOnce() {
    assertThat(PoolPlanner.toCreate(100, 0, 0)).isEqualTo(PoolPlanner.MAX_STARTING);
    assertThat(PoolPlanner.toCreate(100, 0, PoolPlanner.MAX_STARTING)).isZero();
    assertThat(PoolPlanner.toCreate(100, 0, PoolPlanner.MAX_STARTING - 1)).isEqualTo(1);
  }
}
