package dev.assay.operator.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A token of a service account, in a file that the kubelet replaces minutes before the token
 * expires. It is read again every few seconds: each call of a tool needs it.
 */
final class TokenFile {
  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private final Path file;
  private final LongSupplier nanoTime;
  private volatile @Nullable Read last;

  private record Read(String token, long at) {}

  /**
   * Reads nothing yet.
   *
   * @param nanoTime as {@link System#nanoTime}
   */
  TokenFile(Path file, LongSupplier nanoTime) {
    this.file = file;
    this.nanoTime = nanoTime;
  }

  /**
   * The token, as it was not long ago.
   *
   * @throws IOException if the file cannot be read
   */
  String read() throws IOException {
    long now = nanoTime.getAsLong();
    Read known = last;
    if (known == null || now - known.at >= MAX_AGE.toNanos()) {
      known = new Read(Files.readString(file).strip(), now);
      last = known;
    }
    return known.token;
  }
}
