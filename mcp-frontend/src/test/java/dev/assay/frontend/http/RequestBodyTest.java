package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  private static final int MAX = 100_000;

  @Test
  void aBodyOfTheMostIsTakenAndOneByteMoreIsNot() throws IOException {
    RequestMemory memory = new RequestMemory(Long.MAX_VALUE);
    byte[] most = new byte[MAX];
    most[MAX - 1] = 7;

    assertThat(RequestBody.of(new ByteArrayInputStream(most), MAX, memory.share()))
        .isInstanceOfSatisfying(
            RequestBody.Whole.class, whole -> assertThat(whole.bytes()).isEqualTo(most));
    assertThat(RequestBody.of(new ByteArrayInputStream(new byte[MAX + 1]), MAX, memory.share()))
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

    assertThat(RequestBody.of(endless, MAX, new RequestMemory(Long.MAX_VALUE).share()))
        .isEqualTo(new RequestBody.TooLong());
  }

  @Test
  void noMoreIsReadThanThereIsMemoryFor() throws IOException {
    RequestMemory memory = new RequestMemory((long) RequestBody.HEAP_PER_BYTE * MAX);
    ByteArrayInputStream second = new ByteArrayInputStream(new byte[MAX]);
    try (RequestMemory.Share share = memory.share()) {
      assertThat(RequestBody.of(new ByteArrayInputStream(new byte[MAX / 2]), MAX, share))
          .isInstanceOf(RequestBody.Whole.class);

      assertThat(RequestBody.of(second, MAX, memory.share())).isEqualTo(new RequestBody.NoRoom());
    }
    assertThat(second.available()).isGreaterThan(MAX / 4);
  }
}
