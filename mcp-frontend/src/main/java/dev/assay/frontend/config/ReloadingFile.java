package dev.assay.frontend.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value made from a file, made anew when the file changes.
 *
 * <p>The file is looked at when the value is asked for: kubelet swaps a symbolic link when a Secret
 * changes, which a watch on the directory entry would miss. Where a new version cannot be used the
 * earlier one stays, and the log says so once per version. {@link Current} says since when, so that
 * a caller can stop using an old value.
 *
 * @param <T> the value
 */
public final class ReloadingFile<T> {
  private static final Logger log = LoggerFactory.getLogger(ReloadingFile.class);

  private static final Duration RETRY_EVERY = Duration.ofSeconds(5);

  private final Path file;
  private final Function<Path, T> reader;
  private final InstantSource clock;
  private volatile Version<T> latest;

  /**
   * Why the newest version of a file is not used.
   *
   * @param since when it was first seen so
   */
  public record Unusable(Instant since, String why) {}

  /**
   * The newest usable version.
   *
   * @param unusable why, and since when, there is a newer one that cannot be used; null where there
   *     is none
   */
  public record Current<T>(T value, @Nullable Unusable unusable) {}

  /** Reads the file for the first time; throws what the reader throws. */
  public ReloadingFile(Path file, Function<Path, T> reader) {
    this(file, reader, InstantSource.system());
  }

  /** The same with another clock. */
  public ReloadingFile(Path file, Function<Path, T> reader, InstantSource clock) {
    this.file = file;
    this.reader = reader;
    this.clock = clock;
    Stamp stamp = stamp(file);
    this.latest = new Version<>(stamp, clock.instant(), new Current<>(reader.apply(file), null));
  }

  /** The value of the newest usable version of the file. */
  public T get() {
    return current().value;
  }

  /** The newest usable version of the file. */
  public Current<T> current() {
    Version<T> known = latest;
    Stamp stamp = stamp(file);
    return isCurrent(known, stamp) ? known.current : reload(stamp);
  }

  /** What could not be read may be readable now, and look as before. */
  private boolean isCurrent(Version<T> known, Stamp stamp) {
    return stamp.equals(known.stamp)
        && (known.current.unusable == null
            || clock.instant().isBefore(known.read.plus(RETRY_EVERY)));
  }

  private synchronized Current<T> reload(Stamp stamp) {
    Version<T> known = latest;
    if (!isCurrent(known, stamp)) {
      latest = new Version<>(stamp, clock.instant(), read(known, stamp));
    }
    return latest.current;
  }

  private Current<T> read(Version<T> known, Stamp stamp) {
    try {
      Current<T> read = new Current<>(reader.apply(file), null);
      log.info("{} has changed and was read again", file);
      return read;
    } catch (InvalidConfigException e) {
      String why = String.valueOf(e.getMessage());
      @Nullable Unusable before = known.current.unusable;
      if (!stamp.equals(known.stamp)) {
        log.error(
            "{} has changed and cannot be used; the earlier version stays in use: {}", file, why);
      }
      return new Current<>(
          known.current.value, new Unusable(before == null ? clock.instant() : before.since, why));
    }
  }

  private static Stamp stamp(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(
          file.toRealPath(),
          attributes.fileKey(),
          attributes.lastModifiedTime().toMillis(),
          attributes.size());
    } catch (IOException e) {
      return new Stamp(null, null, -1, -1);
    }
  }

  private record Stamp(
      @Nullable Path realPath, @Nullable Object fileKey, long modifiedMillis, long size) {}

  private record Version<T>(Stamp stamp, Instant read, Current<T> current) {}
}
