package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.api.kubelet.PodLogOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerLogTest {
  @TempDir private Path directory;

  @Test
  void theNewestBytesAreKept() throws IOException {
    ContainerLog log = log(8, "0123456", "789abc");

    assertThat(read(log, options(false, null, null))).isEqualTo("56789abc");
    assertThat(Files.size(directory.resolve("log"))).isEqualTo(8);
  }

  @Test
  void theLastLinesAreCountedFromTheEnd() throws IOException {
    ContainerLog log = log(100, "one\ntwo\nthr", "ee");

    assertThat(read(log, options(false, 2L, null))).isEqualTo("two\nthree");
    assertThat(read(log, options(false, 0L, null))).isEmpty();
    assertThat(read(log, options(false, 9L, null))).isEqualTo("one\ntwo\nthree");
  }

  @Test
  void noMoreBytesThanAskedForAreGiven() throws IOException {
    assertThat(read(log(100, "hello"), options(false, null, 4L))).isEqualTo("hell");
  }

  @Test
  void whoFollowsReadsAllThatWasWrittenBeforeTheEnd() throws IOException {
    ContainerLog log = log(100, "a");
    try (InputStream stream = new LogStream(log, options(true, null, null))) {
      log.append(bytes("b"), 1);
      log.complete();
      log.release();

      assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("ab");
    }
  }

  private ContainerLog log(int capacity, String... texts) throws IOException {
    ContainerLog log = new ContainerLog(directory.resolve("log"), capacity);
    for (String text : texts) {
      log.append(bytes(text), text.length());
    }
    return log;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String read(ContainerLog log, PodLogOptions options) throws IOException {
    try (InputStream stream = new LogStream(log, options)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static PodLogOptions options(boolean follow, @Nullable Long tail, @Nullable Long limit) {
    return RunningKubelet.options("", follow, tail, limit);
  }
}
