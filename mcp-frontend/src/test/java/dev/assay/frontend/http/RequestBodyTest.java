package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  private static final int MAX = 100_000;
  private static final RequestBody.Bounds BOUNDS = new RequestBody.Bounds(MAX, Duration.ofHours(1));

  @Test
  void aBodyOfTheMostIsTakenAndOneByteMoreIsNot() throws IOException {
    RequestMemory memory = new RequestMemory(Long.MAX_VALUE);
    byte[] most = new byte[MAX];
    most[MAX - 1] = 7;

    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(most), BOUNDS, memory.share(TestEndpoint.ALICE)))
        .isInstanceOfSatisfying(
            RequestBody.Whole.class, whole -> assertThat(whole.bytes()).isEqualTo(most));
    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(new byte[MAX + 1]),
                BOUNDS,
                memory.share(TestEndpoint.ALICE)))
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
                endless, BOUNDS, new RequestMemory(Long.MAX_VALUE).share(TestEndpoint.ALICE)))
        .isEqualTo(new RequestBody.TooLong());
  }

  @Test
  void aBodyThatTakesTooLongIsNotWaitedFor() throws IOException {
    RequestBody.Bounds noTime = new RequestBody.Bounds(MAX, Duration.ofNanos(-1));

    assertThat(
            RequestBody.of(
                new ByteArrayInputStream(new byte[1]),
                noTime,
                new RequestMemory(Long.MAX_VALUE).share(TestEndpoint.ALICE)))
        .isEqualTo(new RequestBody.TooSlow());
  }

  @Test
  void noMoreIsReadThanThereIsMemoryFor() throws IOException {
    RequestMemory memory = new RequestMemory((long) RequestBody.HEAP_PER_BYTE * MAX);
    ByteArrayInputStream second = new ByteArrayInputStream(new byte[MAX]);
    try (RequestMemory.Share share = memory.share(TestEndpoint.ALICE)) {
      assertThat(RequestBody.of(new ByteArrayInputStream(new byte[MAX / 2]), BOUNDS, share))
          .isInstanceOf(RequestBody.Whole.class);

      assertThat(RequestBody.of(second, BOUNDS, memory.share(TestEndpoint.ALICE)))
          .isEqualTo(new RequestBody.NoRoom(CallerQuota.Decision.EXHAUSTED));
    }
    assertThat(second.available()).isGreaterThan(MAX / 4);
  }
}
