package dev.assay.cli.local;

import dev.assay.cli.MachineException;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings of queries that local mode reads from environment variables; docs/analytics.md has the
 * values of the chart that correspond to them.
 *
 * @param pythonEnvironment variables of the class that runs Python and Polars
 * @param sqlEnvironment variables of the class that runs SQL
 * @param cacheBytes that cached results may take
 * @param cacheTtlSeconds how long a result is used again; absent for the front end's default
 * @param timeoutSeconds time limit of a call that names none; absent for the front end's default
 * @param frameBytes size of a source above which there is no frame; absent for the class's default
 */
public record AnalyticsSettings(
    Map<String, String> pythonEnvironment,
    Map<String, String> sqlEnvironment,
    long cacheBytes,
    @Nullable Integer cacheTtlSeconds,
    @Nullable Integer timeoutSeconds,
    @Nullable Long frameBytes) {
  private static final long MIB = 1L << 20;
  private static final long DEFAULT_CACHE_BYTES = 1L << 30;
  private static final long MAX_SIZE = 1L << 40;
  private static final int MAX_THREADS = 1024;
  private static final int MAX_TTL_SECONDS = 604_800;
  private static final int MAX_TIMEOUT_MS = 600_000;
  private static final int MAX_FRAME_MIB = 1 << 20;

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,6})?) ?([A-Z]+)");
  private static final Map<String, Long> UNITS =
      Map.of(
          "B", 1L,
          "KB", 1000L,
          "MB", 1_000_000L,
          "GB", 1_000_000_000L,
          "TB", 1_000_000_000_000L,
          "KIB", 1024L,
          "MIB", MIB,
          "GIB", 1024 * MIB,
          "TIB", MIB * MIB);

  /** No setting differs from its default. */
  public static final AnalyticsSettings DEFAULT =
      new AnalyticsSettings(Map.of(), Map.of(), DEFAULT_CACHE_BYTES, null, null, null);

  public AnalyticsSettings {
    pythonEnvironment = Map.copyOf(pythonEnvironment);
    sqlEnvironment = Map.copyOf(sqlEnvironment);
  }

  /**
   * Reads the variables; one that is absent or blank has its default.
   *
   * @throws MachineException for a value that is invalid
   */
  public static AnalyticsSettings read(Map<String, String> environment) throws MachineException {
    Variables variables = new Variables(environment);
    Long milliseconds = variables.integer("MAX_QUERY_TIME_MS", 1, MAX_TIMEOUT_MS);
    Long ttlSeconds = variables.integer("CACHE_TTL_SECONDS", 0, MAX_TTL_SECONDS);
    Long frameMib = variables.integer("STREAMING_THRESHOLD_MB", 1, MAX_FRAME_MIB);
    Long threads = variables.integer("POLARS_MAX_THREADS", 1, MAX_THREADS);
    Long memory = variables.size("DUCKDB_MEMORY_LIMIT");
    Long cache = variables.size("CACHE_MAX_SIZE");
    return new AnalyticsSettings(
        threads == null ? Map.of() : Map.of("POLARS_MAX_THREADS", threads.toString()),
        memory == null ? Map.of() : Map.of("DUCKDB_MEMORY_LIMIT", memory + "B"),
        cache == null ? DEFAULT_CACHE_BYTES : cache,
        ttlSeconds == null ? null : ttlSeconds.intValue(),
        milliseconds == null ? null : Math.toIntExact(Math.ceilDiv(milliseconds, 1000L)),
        frameMib == null ? null : frameMib * MIB);
  }

  private record Variables(Map<String, String> environment) {
    private @Nullable Long integer(String name, long least, long most) throws MachineException {
      String text = environment.getOrDefault(name, "").strip();
      if (text.isEmpty()) {
        return null;
      }
      if (text.matches("[0-9]{1,10}")) {
        long value = Long.parseLong(text);
        if (least <= value && value <= most) {
          return value;
        }
      }
      throw new MachineException(
          "the environment variable %s must be an integer from %d to %d"
              .formatted(name, least, most));
    }

    private @Nullable Long size(String name) throws MachineException {
      String text = environment.getOrDefault(name, "").strip();
      if (text.isEmpty()) {
        return null;
      }
      OptionalLong bytes = bytes(text.toUpperCase(Locale.ROOT));
      if (bytes.isPresent() && 1 <= bytes.getAsLong() && bytes.getAsLong() <= MAX_SIZE) {
        return bytes.getAsLong();
      }
      throw new MachineException(
          "the environment variable %s must be a size such as 512MB or 2GiB, 1TiB at most"
              .formatted(name));
    }

    private static OptionalLong bytes(String text) {
      Matcher matcher = SIZE.matcher(text);
      Long unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
      return unit == null
          ? OptionalLong.empty()
          : OptionalLong.of(
              new BigDecimal(matcher.group(1))
                  .multiply(BigDecimal.valueOf(unit))
                  .min(BigDecimal.valueOf(Long.MAX_VALUE))
                  .longValue());
    }
  }
}
