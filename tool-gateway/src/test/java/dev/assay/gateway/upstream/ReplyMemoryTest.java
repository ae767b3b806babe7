package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReplyMemoryTest {
  private static final long BYTES = 100 << 10;

  /** A quarter of it is a mebibyte, of which 100 KiB of text take more than half. */
  private final ReplyMemory memory = new ReplyMemory(4 << 20);

  @Test
  void aShortReplyTakesNothing() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    for (int i = 0; i < 1000; i++) {
      assertThat(part.share().hold(10 << 10, 100, 0)).isTrue();
    }
  }

  @Test
  void oneServerTakesNoMoreThanAQuarterAndANamespaceHalf() throws InterruptedException {
    ReplyMemory.Part one = memory.part("a");
    ReplyMemory.Part two = memory.part("a");
    ReplyMemory.Share first = one.share();
    assertThat(first.hold(BYTES, 0, 0)).isTrue();
    assertThat(one.share().hold(BYTES, 0, 0)).isFalse();
    assertThat(two.share().hold(BYTES, 0, 0)).isTrue();
    assertThat(memory.part("b").share().hold(2 * BYTES, 0, 0)).isTrue();
    first.close();
    assertThat(one.share().hold(BYTES, 0, 0)).isTrue();
  }

  @Test
  void aReplyTakesWhatHasBeenReadOfIt() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share slow = part.share();
    assertThat(slow.hold(30 << 10, 0, 0)).isTrue();
    ReplyMemory.Share other = part.share();
    assertThat(other.hold(70 << 10, 0, 0)).isTrue();
    assertThat(slow.hold(BYTES, 0, 0)).isFalse();
    other.close();
    assertThat(slow.hold(BYTES, 0, 0)).isTrue();
  }

  @Test
  void valuesCountMoreThanText() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    assertThat(part.share().hold(20 << 10, 8 << 10, 0)).isTrue();
    assertThat(part.share().hold(30 << 10, 0, 0)).isFalse();
  }

  @Test
  void aReplyLongerThanAQuarterIsTakenAloneAndClosedOnesTakeNothing() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share large = part.share();
    assertThat(large.hold(500 << 10, 0, 0)).isTrue();
    assertThat(part.share().hold(BYTES, 0, 0)).isFalse();
    large.close();
    assertThat(large.hold(500 << 10, 0, 0)).isFalse();
    assertThat(part.share().hold(BYTES, 0, 0)).isTrue();
  }
}
