package dev.assay.frontend.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A value made from a file, made anew when the file changes.
 *
 * <p>The file is looked at when the value is asked for: kubelet swaps a symbolic link when a Secret
 * changes, which a watch on the directory entry would miss. Where a new version cannot be used the
 * earlier one stays, and the log says so once per version.
 *
 * @param <T> the value
 */
public final class ReloadingFile<T> {
  private static final Logger log = LoggerFactory.getLogger(ReloadingFile.class);

  private final Path file;
  private final Function<Path, T> reader;
  private volatile Version<T> current;

  /** Reads the file for the first time; throws what the reader throws. */
  public ReloadingFile(Path file, Function<Path, T> reader) {
    this.file = file;
    this.reader = reader;
    Stamp stamp = stamp(file);
    this.current = new Version<>(stamp, reader.apply(file));
  }

  /** The value of the newest usable version of the file. */
  public T get() {
    Version<T> known = current;
    Stamp stamp = stamp(file);
    return stamp.equals(known.stamp) ? known.value : reload(stamp);
  }

  private synchronized T reload(Stamp stamp) {
    Version<T> known = current;
    if (stamp.equals(known.stamp)) {
      return known.value;
    }
    T value = known.value;
    try {
      value = reader.apply(file);
      log.info("{} has changed and was read again", file);
    } catch (InvalidConfigException e) {
      log.error(
          "{} has changed and cannot be used; the earlier version stays: {}", file, e.getMessage());
    }
    current = new Version<>(stamp, value);
    return value;
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

  private record Version<T>(Stamp stamp, T value) {}
}
