package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.limit.SharedQuota;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  private static final int MAX = 100_000;
  private static final RequestBody.Bounds BOUNDS =
      new RequestBody.Bounds(MAX, received -> Duration.ofHours(1), RequestBody.MAX_TIME);

  @Test
  void aBodyOfTheMaximumSizeIsReadAndOneByteMoreIsNot() throws IOException {
    RequestMemory memory = new RequestMemory(Long.MAX_VALUE);
    byte[] most = new byte[MAX];
    most[MAX - 1] = 7;

    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(most),
                BOUNDS,
                memory.share(TestEndpoint.ALICE),
                left -> {}))
        .isInstanceOfSatisfying(
            RequestBody.Whole.class, whole -> assertThat(whole.bytes()).isEqualTo(most));
    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(new byte[MAX + 1]),
                BOUNDS,
                memory.share(TestEndpoint.ALICE),
                left -> {}))
        .isEqualTo(new RequestBody.TooLong());
  }

  @Test
  void aBodyWithoutAnEndIsLeftAtTheLimit() throws IOException {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return ' ';
          }
        };

    assertThat(
            RequestBody.of(
                endless,
                BOUNDS,
                new RequestMemory(Long.MAX_VALUE).share(TestEndpoint.ALICE),
                left -> {}))
        .isEqualTo(new RequestBody.TooLong());
  }

  @Test
  void aBodyThatTakesTooLongIsNotWaitedFor() throws IOException {
    RequestBody.Bounds noTime =
        new RequestBody.Bounds(MAX, received -> Duration.ofNanos(-1), RequestBody.MAX_TIME);

    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(new byte[1]),
                noTime,
                new RequestMemory(Long.MAX_VALUE).share(TestEndpoint.ALICE),
                left -> {}))
        .isEqualTo(new RequestBody.TooSlow());
  }

  @Test
  void noMoreIsReadThanThereIsMemoryFor() throws IOException {
    RequestMemory memory = new RequestMemory((long) RequestBody.HEAP_PER_BYTE * MAX);
    ByteArrayInputStream second = new ByteArrayInputStream(new byte[MAX]);
    try (RequestMemory.Share share = memory.share(TestEndpoint.ALICE)) {
      assertThat(
              RequestBody.of(
                  new ByteArrayInputStream(new byte[MAX / 2]), BOUNDS, share, left -> {}))
          .isInstanceOf(RequestBody.Whole.class);

      assertThat(RequestBody.of(second, BOUNDS, memory.share(TestEndpoint.ALICE), left -> {}))
          .isEqualTo(new RequestBody.NoRoom(SharedQuota.Decision.EXHAUSTED));
    }
    assertThat(second.available()).isGreaterThan(MAX / 4);
  }

  @Test
  void eachReadWaitsNoLongerThanTheBodyMayTakeByThen() throws IOException {
    List<Duration> waits = new ArrayList<>();
    InputStream stops =
        new InputStream() {
          @Override
          public int read() {
            return ' ';
          }

          @Override
          public int read(byte[] piece, int from, int length) throws IOException {
            if (waits.size() == 2) {
              throw new IOException(new TimeoutException());
            }
            return 1;
          }
        };

    assertThat(
            RequestBody.of(
                stops,
                new RequestBody.Bounds(
                    MAX, received -> Duration.ofHours(1 + received), RequestBody.MAX_TIME),
                new RequestMemory(Long.MAX_VALUE).share(TestEndpoint.ALICE),
                waits::add))
        .isEqualTo(new RequestBody.TooSlow());
    assertThat(waits.get(0)).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    assertThat(waits.get(1)).isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
  }

  @Test
  void aBodyHasTenSecondsAndMoreWhileItArrivesUpToAMinute() {
    assertThat(RequestBody.maxTime(0)).isEqualTo(Duration.ofSeconds(10));
    assertThat(RequestBody.maxTime(4 * 256 * 1024)).isEqualTo(Duration.ofSeconds(14));
    assertThat(RequestBody.maxTime(TestEndpoint.MAX_REQUEST_BYTES))
        .isEqualTo(Duration.ofSeconds(60));
  }
}
