package dev.assay.frontend.call;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import tools.jackson.databind.json.JsonMapper;

/**
 * The log of who did what: a JSON object a line, by a logger of its own, so that it can be kept
 * longer than runs. It has names, digests and numbers, and never code, data or keys.
 */
public final class AuditLog {
  static final String NAME = "assay.audit";

  private static final Logger log = LoggerFactory.getLogger(NAME);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private AuditLog() {}

  /**
   * Writes a line.
   *
   * @param fields in their order; those without a value are left out
   */
  public static void write(Level level, Map<String, @Nullable Object> fields) {
    if (log.isEnabledForLevel(level)) {
      log.atLevel(level).log(line(Instant.now(), fields));
    }
  }

  static String line(Instant time, Map<String, @Nullable Object> fields) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("time", time.toString());
    line.put("logger", NAME);
    line.putAll(fields);
    line.values().removeIf(value -> value == null);
    return JSON.writeValueAsString(line);
  }
}
