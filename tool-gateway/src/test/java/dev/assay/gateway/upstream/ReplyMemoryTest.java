package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ReplyMemoryTest {
  private static final long BYTES = 100 << 10;

  private static final long BUDGET = 8 << 20;

  /** A quarter of its half is a mebibyte, of which 100 KiB of text take more than half. */
  private final ReplyMemory memory = new ReplyMemory(BUDGET);

  @Test
  void aShortReplyTakesNothing() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    for (int i = 0; i < 1000; i++) {
      assertThat(part.share().hold(4 << 10, 50, 0)).isTrue();
    }
  }

  @Test
  void oneServerTakesNoMoreThanAQuarterAndOneReply() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share first = part.share();
    assertThat(first.hold(BYTES, 0, 0)).isTrue();
    assertThat(part.share().hold(BYTES, 0, 0)).as("the one beyond the quarter").isTrue();
    assertThat(part.share().hold(BYTES, 0, 0)).isFalse();
    first.close();
    assertThat(part.share().hold(BYTES, 0, 0)).as("the other is beyond it still").isFalse();
    assertThat(memory.part("a").share().hold(BYTES, 0, 0)).as("another server").isTrue();
  }

  @Test
  void theServersOfANamespaceTakeNoMoreThanHalfAndOneReply() throws InterruptedException {
    for (int server = 0; server < 3; server++) {
      assertThat(memory.part("a").share().hold(BYTES, 0, 0)).isTrue();
    }
    assertThat(memory.part("a").share().hold(BYTES, 0, 0)).as("beyond the half").isTrue();
    assertThat(memory.part("a").share().hold(BYTES, 0, 0)).isFalse();
    assertThat(memory.part("b").share().hold(BYTES, 0, 0)).isTrue();
  }

  @Test
  void aReplyTakesWhatHasBeenReadOfIt() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share slow = part.share();
    assertThat(slow.hold(30 << 10, 0, 0)).isTrue();
    assertThat(part.share().hold(70 << 10, 0, 0)).isTrue();
    ReplyMemory.Share beyond = part.share();
    assertThat(beyond.hold(70 << 10, 0, 0)).isTrue();
    assertThat(slow.hold(BYTES, 0, 0)).isFalse();
    beyond.close();
    assertThat(slow.hold(BYTES, 0, 0)).isTrue();
  }

  @Test
  void allRepliesTogetherTakeNoMoreThanTheBudget() throws InterruptedException {
    long taken = 0;
    for (int server = 0; server < 32; server++) {
      ReplyMemory.Share share = memory.part("n" + server / 2).share();
      for (long bytes = 10 << 10; share.hold(bytes, 0, 0); bytes += 10 << 10) {
        taken += ReplyMemory.weight(10 << 10, 0);
      }
    }
    assertThat(taken).isBetween(BUDGET * 9 / 10, BUDGET);
  }

  /** With the memory that the gateway has by default, and with values as dense as may be. */
  @Test
  void theDefaultLimitsOfResultsAndListsAreLightEnough() {
    long heap = 384L * 55 / 100 * 29 / 30 << 20;
    long list = ReplyMemory.weight((4 << 20) + (64 << 10), Long.MAX_VALUE);
    assertThat(new ReplyMemory(heap / 2).heaviest()).isGreaterThan(list);
  }

  @Test
  void aReplyThatIsHeavierThanAnyMayBeIsNotReadAndSaysSo() throws InterruptedException {
    ReplyMemory.Share share = memory.part("a").share();
    long most = memory.heaviest() / ReplyMemory.weight(1, 0);
    assertThat(share.hold(most, 0, 0)).isTrue();
    assertThat(share.isTooHeavy()).isFalse();
    assertThat(share.hold(most + 1, 0, 1000)).isFalse();
    assertThat(share.isTooHeavy()).isTrue();
  }

  @Test
  void whatStaysOfPagesCountsBesideThePageThatIsRead() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share list = part.share();
    for (int page = 0; page < 3; page++) {
      assertThat(list.hold(30 << 10, 0, 0)).isTrue();
      assertThat(list.keep(250 << 10)).isTrue();
    }
    assertThat(part.share().hold(BYTES, 0, 0)).as("the one beyond the quarter").isTrue();
    assertThat(list.keep(250 << 10)).as("it does not wait").isFalse();
    list.close();
    assertThat(part.share().hold(50 << 10, 0, 0)).isTrue();
  }

  /** Another share, of the stream, may wait for the rest. */
  @Test
  void whatIsKeptExceedsNoLimitButThatOfItsServer() {
    ReplyMemory.Share list = memory.part("a").share();
    assertThat(list.keep(1500 << 10)).as("beyond the quarter").isTrue();
    assertThat(list.keep(1000 << 10)).as("beyond the half").isFalse();
  }

  @Test
  void whatIsMovedToAReplyIsHeldUntilThatIsClosed() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share stream = part.share();
    ReplyMemory.Share reply = part.share();
    assertThat(stream.hold(2 * BYTES, 0, 0)).as("beyond the quarter").isTrue();
    stream.moveTo(reply);
    assertThat(stream.isHolding()).isFalse();
    assertThat(stream.hold(BYTES, 0, 0)).as("the reply is beyond it").isFalse();
    reply.close();
    assertThat(stream.hold(2 * BYTES, 0, 0)).isTrue();

    stream.moveTo(reply);
    assertThat(stream.isHolding()).as("nobody else would give it back").isTrue();
  }

  @Test
  void whatIsBeingParsedIsHeldThoughItsCallIsOver() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share timedOut = part.share();
    assertThat(timedOut.hold(2 * BYTES, 0, 0)).as("beyond the quarter").isTrue();
    assertThat(timedOut.beginUse()).isTrue();
    timedOut.close();
    assertThat(part.share().hold(BYTES, 0, 0)).isFalse();
    timedOut.endUse();
    assertThat(part.share().hold(BYTES, 0, 0)).isTrue();
    assertThat(timedOut.beginUse()).as("it holds nothing").isFalse();
  }

  @Test
  void aPageThatHasArrivedInAStreamIsNotHeldBesideTheOneBefore() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share stream = part.share();
    ReplyMemory.Share list = part.share();
    for (int page = 0; page < 10; page++) {
      assertThat(stream.hold(BYTES, 0, 0)).isTrue();
      stream.moveTo(list);
      assertThat(list.keep(10 << 10)).isTrue();
    }
    list.close();
    assertThat(part.share().hold(BYTES, 0, 0)).isTrue();
  }

  @Test
  void aReplyThatShrinksMakesRoomForAnotherBeyondTheLimit() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share stream = part.share();
    assertThat(stream.hold(600 << 10, 0, 0)).isTrue();
    assertThat(part.share().hold(BYTES, 0, 0)).isFalse();
    stream.shrink(10 << 10, 0);
    assertThat(part.share().hold(600 << 10, 0, 0)).isTrue();
  }

  /** Each would otherwise hold what the others wait for. */
  @Test
  void repliesThatGrowTogetherAreAllReadToTheirEnds() throws Exception {
    List<Future<Boolean>> replies = new ArrayList<>();
    CyclicBarrier begun = new CyclicBarrier(18);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String namespace : List.of("a", "b")) {
        for (ReplyMemory.Part part :
            List.of(memory.part(namespace), memory.part(namespace), memory.part(namespace))) {
          for (int reply = 0; reply < 3; reply++) {
            replies.add(threads.submit(() -> read(part, begun)));
          }
        }
      }
      for (Future<Boolean> reply : replies) {
        assertThat(reply.get(20, TimeUnit.SECONDS)).isTrue();
      }
    }
    // Three are within the half of the namespace, and one is beyond it.
    for (int server = 0; server < 4; server++) {
      assertThat(memory.part("a").share().hold(BYTES, 0, 0)).as("all is given back").isTrue();
    }
  }

  /** Has each hold something before one goes on. */
  private static boolean read(ReplyMemory.Part part, CyclicBarrier begun) throws Exception {
    try (ReplyMemory.Share share = part.share()) {
      boolean isRead = share.hold(22 << 10, 0, 0);
      begun.await();
      for (int bytes = 30 << 10; bytes <= 600 << 10; bytes += 10 << 10) {
        isRead &= share.hold(bytes, 0, 15_000);
        Thread.yield();
      }
      return isRead;
    }
  }

  @Test
  void valuesCountMoreThanText() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    assertThat(part.share().hold(20 << 10, 6 << 10, 0)).isTrue();
    assertThat(part.share().hold(30 << 10, 0, 0)).as("the one beyond the quarter").isTrue();
    assertThat(part.share().hold(30 << 10, 0, 0)).isFalse();
  }

  @Test
  void aReplyLongerThanAQuarterIsReadAloneAndClosedOnesTakeNothing() throws InterruptedException {
    ReplyMemory.Part part = memory.part("a");
    ReplyMemory.Share large = part.share();
    assertThat(large.hold(500 << 10, 0, 0)).isTrue();
    assertThat(part.share().hold(BYTES, 0, 0)).isFalse();
    large.close();
    assertThat(large.hold(500 << 10, 0, 0)).isFalse();
    assertThat(part.share().hold(BYTES, 0, 0)).isTrue();
  }
}
