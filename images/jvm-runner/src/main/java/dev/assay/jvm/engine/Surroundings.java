package dev.assay.jvm.engine;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the worker runs.
 *
 * @param datasets the directory that has a directory for each dataset
 * @param inputs the directory of the artifacts of earlier runs, by number
 * @param workspace the working directory
 * @param scratch the directory for temporary files
 * @param python the interpreter that has the runner's package
 * @param memoryBytes that the engine may take
 * @param temporaryBytes that it may write to disk
 */
public record Surroundings(
    Path datasets,
    Path inputs,
    Path workspace,
    Path scratch,
    String python,
    long memoryBytes,
    long temporaryBytes) {
  private static final long MIB = 1024 * 1024;
  private static final long DEFAULT_CONTAINER_BYTES = 2048 * MIB;

  /** What the JVM itself takes, and the engine outside of its own account. */
  private static final long RESERVED_BYTES = 256 * MIB;

  private static final long MIN_ENGINE_BYTES = 64 * MIB;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)\\s*([A-Z]*)");
  private static final Map<String, Long> UNITS =
      Map.of(
          "", 1L,
          "B", 1L,
          "KB", 1000L,
          "MB", 1_000_000L,
          "GB", 1_000_000_000L,
          "TB", 1_000_000_000_000L,
          "KIB", 1024L,
          "MIB", MIB,
          "GIB", 1024 * MIB,
          "TIB", MIB * MIB);

  private static final List<Path> CGROUP_LIMITS =
      List.of(
          Path.of("/sys/fs/cgroup/memory.max"),
          Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));

  /** Reads the environment of the container. */
  public static Surroundings of(Map<String, String> environment) {
    Path scratch = Path.of(environment.getOrDefault("ASSAY_SCRATCH_DIR", "/scratch"));
    long container = containerBytes(environment);
    OptionalLong wanted = size(environment.getOrDefault("DUCKDB_MEMORY_LIMIT", ""));
    long disk =
        size(environment.getOrDefault("ASSAY_SCRATCH_BYTES", ""))
            .orElseGet(() -> scratch.toFile().getUsableSpace());
    return new Surroundings(
        Path.of(environment.getOrDefault("ASSAY_DATASETS_DIR", "/datasets")),
        Path.of(environment.getOrDefault("ASSAY_INPUTS_DIR", "/inputs")),
        Path.of("").toAbsolutePath(),
        scratch,
        environment.getOrDefault("ASSAY_PYTHON", "python3"),
        engineBytes(container, wanted),
        disk / 5 * 4);
  }

  /** The memory of the container. */
  public static long containerBytes(Map<String, String> environment) {
    return size(environment.getOrDefault("ASSAY_MEMORY_BYTES", ""))
        .orElseGet(() -> cgroupLimit().orElse(DEFAULT_CONTAINER_BYTES));
  }

  /** Three quarters of what is left beside the JVM, or what was set, if that is less. */
  static long engineBytes(long container, OptionalLong wanted) {
    long most = Math.max((container - RESERVED_BYTES) / 4 * 3, MIN_ENGINE_BYTES);
    return wanted.isPresent() ? Math.min(wanted.getAsLong(), most) : most;
  }

  /** The bytes of a size such as {@code 2GB} or {@code 512MiB}; empty if it is none. */
  static OptionalLong size(String text) {
    Matcher matcher = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    Long unit = UNITS.get(matcher.group(2));
    if (unit == null) {
      return OptionalLong.empty();
    }
    long bytes =
        new BigDecimal(matcher.group(1))
            .multiply(BigDecimal.valueOf(unit))
            .min(BigDecimal.valueOf(Long.MAX_VALUE))
            .longValue();
    return bytes > 0 ? OptionalLong.of(bytes) : OptionalLong.empty();
  }

  private static OptionalLong cgroupLimit() {
    for (Path file : CGROUP_LIMITS) {
      try {
        OptionalLong limit = size(Files.readString(file));
        // Version 1 of cgroups has a number near the largest where there is no limit.
        if (limit.isPresent() && limit.getAsLong() < Long.MAX_VALUE / 2) {
          return limit;
        }
      } catch (IOException e) {
        // The file of the other version.
      }
    }
    return OptionalLong.empty();
  }
}
