package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  @Test
  void eventsComeInOrderAndPingsAreSkipped() throws Exception {
    try (EventStream events = of(0, 1000, started(1) + "{\"type\":\"ping\"}\n" + started(2))) {
      assertThat(events.next().seq()).isEqualTo(1);
      assertThat(events.next().seq()).isEqualTo(2);
      assertThatThrownBy(events::next).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void followingBeginsAfterTheGivenEvent() throws Exception {
    try (EventStream events = of(7, 1000, started(8))) {
      assertThat(events.next().seq()).isEqualTo(8);
    }
  }

  @Test
  void aGapARepeatAndAnEventZeroBreakTheProtocol() {
    assertBroken(of(0, 1000, started(2)), "event 2 came after event 0");
    assertBroken(of(3, 1000, started(3)), "event 3 came after event 3");
    assertBroken(of(0, 1000, started(0)), "event 0 came after event 0");
    assertBroken(of(Long.MAX_VALUE, 1000, started(1)), "came after");
  }

  @Test
  void aLineIsBoundedEvenWhereItNeverEnds() {
    String endless = "x".repeat(EventParser.MAX_LINE_BYTES + 1);
    assertBroken(of(0, Long.MAX_VALUE, endless), "exceeds the maximum line length");
  }

  @Test
  void allOfItIsBoundedAndPingsCount() {
    assertBroken(of(0, 100, "{\"type\":\"ping\"}\n".repeat(100)), "more than 100 bytes");
  }

  @Test
  void aStreamOfExactlyTheBoundIsRead() throws Exception {
    try (EventStream events = of(0, started(1).length(), started(1))) {
      assertThat(events.next().seq()).isEqualTo(1);
    }
  }

  @Test
  void aHalfEventBeforeTheEndIsALostConnection() {
    try (EventStream events = of(0, 1000, "{\"type\":\"started\"")) {
      assertThatThrownBy(events::next).isInstanceOf(EOFException.class);
    }
  }

  private static void assertBroken(EventStream events, String words) {
    try (events) {
      assertThatThrownBy(events::next)
          .isInstanceOf(ProtocolViolationException.class)
          .hasMessageContaining(words);
    }
  }

  private EventStream of(long afterSeq, long maxTotalBytes, String text) {
    InputStream body = new ByteArrayInputStream(text.getBytes(UTF_8));
    return new EventStream(body, timer, afterSeq, maxTotalBytes);
  }

  private static String started(long seq) {
    return "{\"type\":\"started\",\"seq\":" + seq + "}\n";
  }
}
