package dev.assay.frontend.analytics;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a run of an analytics tool.
 *
 * @param queryId name of the run
 * @param value what it returned
 * @param cacheHit whether it is an earlier run
 * @param stdout what the code printed, fit to be shown; empty where it printed nothing
 */
public record AnalyticsResult(
    String queryId, AnalyticsValue value, boolean cacheHit, String stdout) {

  /** Warnings of the value; null where there are none, as documents have it. */
  @Nullable List<String> warnings() {
    return value.warnings().isEmpty() ? null : value.warnings();
  }

  /** Where it comes from, in words: such as {@code duckdb, 12 ms, cached}. */
  String origin(String otherEngine) {
    return (value.engine() == null ? otherEngine : value.engine())
        + ", "
        + value.engineMs()
        + " ms"
        + (cacheHit ? ", cached" : "");
  }

  /** The warnings as lines of text. */
  String warningLines() {
    StringBuilder lines = new StringBuilder();
    value.warnings().forEach(warning -> lines.append("warning: ").append(warning).append('\n'));
    return lines.toString();
  }
}
