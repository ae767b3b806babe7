package dev.assay.frontend.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value made from a file, made anew when the file changes.
 *
 * <p>The file is looked at when the value is asked for: kubelet swaps a symbolic link when a Secret
 * changes, which a watch on the directory entry would miss. Where a new version cannot be used the
 * earlier one stays, and the log says so once per version. {@link #unusable} tells since when: what
 * must not outlive its file is not used for longer than the caller allows.
 *
 * @param <T> the value
 */
public final class ReloadingFile<T> {
  private static final Logger log = LoggerFactory.getLogger(ReloadingFile.class);

  private final Path file;
  private final Function<Path, T> reader;
  private final InstantSource clock;
  private volatile Version<T> current;

  /**
   * Why the newest version of a file is not used.
   *
   * @param since when it was first seen so
   */
  public record Unusable(Instant since, String why) {}

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
    this.current = new Version<>(stamp, reader.apply(file), null);
  }

  /** The value of the newest usable version of the file. */
  public T get() {
    return newest().value;
  }

  /**
   * Why, and since when, there is a newer version that cannot be used; empty where there is none.
   */
  public Optional<Unusable> unusable() {
    return Optional.ofNullable(newest().unusable);
  }

  private Version<T> newest() {
    Version<T> known = current;
    Stamp stamp = stamp(file);
    return stamp.equals(known.stamp) ? known : reload(stamp);
  }

  private synchronized Version<T> reload(Stamp stamp) {
    Version<T> known = current;
    if (!stamp.equals(known.stamp)) {
      current = read(known, stamp);
    }
    return current;
  }

  private Version<T> read(Version<T> known, Stamp stamp) {
    try {
      Version<T> read = new Version<>(stamp, reader.apply(file), null);
      log.info("{} has changed and was read again", file);
      return read;
    } catch (InvalidConfigException e) {
      log.error("{} has changed and cannot be used: {}", file, e.getMessage());
      Instant since = known.unusable == null ? clock.instant() : known.unusable.since;
      return new Version<>(stamp, known.value, new Unusable(since, String.valueOf(e.getMessage())));
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

  private record Version<T>(Stamp stamp, T value, @Nullable Unusable unusable) {}
}
