package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.operator.endpoint.LimitedLookup.BusyException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class LimitedLookupTest {
  private final CountDownLatch reading = new CountDownLatch(2);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    mayEnd.countDown();
    threads.close();
  }

  @Test
  void whoeverIsOneTooManyIsToldSo() throws Exception {
    LimitedLookup lookup = new LimitedLookup(this::slowly, 2, Duration.ZERO);
    Future<Optional<byte[]>> one = threads.submit(() -> lookup.find("team-a", "1"));
    Future<Optional<byte[]>> other = threads.submit(() -> lookup.find("team-a", "2"));
    reading.await();
    assertThatExceptionOfType(BusyException.class).isThrownBy(() -> lookup.find("team-a", "3"));

    mayEnd.countDown();
    assertThat(one.get().orElseThrow()).isEqualTo("1".getBytes(UTF_8));
    assertThat(other.get()).isPresent();
    assertThat(lookup.find("team-a", "3")).isPresent();
  }

  @Test
  void whoeverWaitsFollowsTheOthers() throws Exception {
    LimitedLookup lookup = new LimitedLookup(this::slowly, 2, Duration.ofSeconds(50));
    Future<Optional<byte[]>> one = threads.submit(() -> lookup.find("team-a", "1"));
    Future<Optional<byte[]>> other = threads.submit(() -> lookup.find("team-a", "2"));
    reading.await();
    Future<Optional<byte[]>> third = threads.submit(() -> lookup.find("team-a", "3"));

    mayEnd.countDown();
    assertThat(third.get().orElseThrow()).isEqualTo("3".getBytes(UTF_8));
    assertThat(one.get()).isPresent();
    assertThat(other.get()).isPresent();
  }

  @Test
  void oneThatFailsMakesRoomForTheNext() throws Exception {
    LimitedLookup failing =
        new LimitedLookup(
            (namespace, name) -> {
              throw new IOException("no disk");
            },
            1,
            Duration.ZERO);
    for (int i = 0; i < 3; i++) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> failing.find("team-a", "1"))
          .withMessage("no disk");
    }
  }

  private Optional<byte[]> slowly(String namespace, String name) throws IOException {
    reading.countDown();
    try {
      mayEnd.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return Optional.of(name.getBytes(UTF_8));
  }
}
