package dev.assay.cli.client;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/**
 * The API key of local mode: one for each user of a machine, made by the first start and kept, so
 * that the configuration of a client stays valid. The commands send it to loopback addresses where
 * no other key is given and this user listens. Removing the file makes the next start create
 * another key.
 *
 * @param file that holds the key and nothing else, with mode 0600
 */
public record LocalKey(Path file) {
  private static final int RANDOM_BYTES = 32;

  /** The key of the user who runs this: {@code ~/.local/state/assay/api-key}. */
  public static LocalKey ofUser() {
    return new LocalKey(UserDirectories.ofUser().state().resolve("assay").resolve("api-key"));
  }

  /**
   * The key; empty where local mode was never started.
   *
   * @throws IOException where the file cannot be read, or others may read it
   */
  public Optional<String> read() throws IOException {
    return Files.exists(file) ? Optional.of(PrivateFile.read(file).strip()) : Optional.empty();
  }

  /**
   * The key, made now where there is none.
   *
   * @throws IOException as for {@link #read}, and where it cannot be written
   */
  public String readOrCreate() throws IOException {
    synchronized (LocalKey.class) {
      Path directory = PrivateFile.createDirectories(file.toAbsolutePath().resolveSibling(""));
      // Two first starts at a time must agree on one key.
      try (FileChannel channel =
              FileChannel.open(
                  directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        assert lock.isValid();
        Optional<String> found = read();
        if (found.isEmpty()) {
          PrivateFile.write(file, random() + "\n");
        }
        return found.isPresent() ? found.get() : read().orElseThrow();
      }
    }
  }

  private static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
