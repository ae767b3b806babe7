package dev.assay.operator.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReplyMemoryTest {
  private static final long LONG = 1L << 20;

  /** Half of it is what one long reply takes. */
  private final ReplyMemory memory = new ReplyMemory(8 * LONG);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void repliesOfOneAddressTakeTurnsAndThoseOfAnotherDoNotWaitForThem() throws Exception {
    ReplyMemory.Part slow = memory.take("a", LONG);
    Future<ReplyMemory.Part> next = threads.submit(() -> memory.take("a", LONG));
    memory.take("b", LONG).close();
    memory.take("b", LONG).close();
    assertThat(next.isDone()).isFalse();
    slow.close();
    next.get().close();
  }

  @Test
  void allAddressesTogetherTakeNoMoreThanThereIs() throws Exception {
    ReplyMemory.Part one = memory.take("a", LONG);
    ReplyMemory.Part other = memory.take("b", LONG);
    Future<ReplyMemory.Part> third = threads.submit(() -> memory.take("c", LONG));
    assertThat(third.isDone()).isFalse();
    one.close();
    third.get().close();
    other.close();
  }

  @Test
  void aShortReplyWaitsForNothing() throws Exception {
    ReplyMemory.Part slow = memory.take("a", Long.MAX_VALUE / 1024);
    Future<ReplyMemory.Part> waits = threads.submit(() -> memory.take("a", LONG));
    for (int reply = 0; reply < 1000; reply++) {
      assertThat(memory.take("a", 64 << 10)).isNotNull();
    }
    slow.close();
    waits.get().close();
  }

  @Test
  void whoNoLongerWaitsTakesNothing() throws Exception {
    ReplyMemory.Part one = memory.take("a", LONG);
    ReplyMemory.Part other = memory.take("b", LONG);
    Thread waiter =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(() -> memory.take("c", LONG))
                        .isInstanceOf(InterruptedException.class));
    while (waiter.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    waiter.interrupt();
    waiter.join();
    one.close();
    memory.take("c", LONG).close();
    other.close();
  }
}
