package dev.assay.operator.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutputSpaceTest {
  private static final long MIB = 1L << 20;

  @Test
  void artifactsLeaveAReserveOfALargeStore() {
    OutputSpace space = new OutputSpace(300 * MIB, 10_000 * MIB);
    assertThat(space.hasRoomFor(44 * MIB)).isTrue();
    assertThat(space.hasRoomFor(44 * MIB + 1)).isFalse();
  }

  @Test
  void theReserveOfASmallStoreIsATenthOfIt() {
    OutputSpace space = new OutputSpace(100 * MIB, 100 * MIB);
    assertThat(space.hasRoomFor(90 * MIB)).isTrue();
    assertThat(space.hasRoomFor(90 * MIB + 1)).isFalse();
  }

  @Test
  void aStoreWithoutLimitsHasRoomForAll() {
    assertThat(new OutputSpace(Long.MAX_VALUE, Long.MAX_VALUE).hasRoomFor(Long.MAX_VALUE / 2))
        .isTrue();
  }
}
