package dev.assay.frontend.analytics;

import dev.assay.frontend.call.ContentBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a run of an analytics tool.
 *
 * @param queryId name of the run
 * @param value what it returned
 * @param cacheHit whether it is an earlier run
 * @param stdout what the code printed, fit to be shown; empty where it printed nothing
 * @param files what it has left, as blocks of a reply
 */
public record AnalyticsResult(
    String queryId, AnalyticsValue value, boolean cacheHit, String stdout, Files files) {

  /**
   * Files of a run.
   *
   * @param chart the chart as a picture; null where there is none that can be shown
   * @param chartData the chart for programs; null where there is none
   * @param others other pictures, a line about all files, and links to other files
   * @param leftOut which files were not kept, and why; null where all were
   */
  public record Files(
      ContentBlock.@Nullable Image chart,
      ContentBlock.@Nullable ResourceLink chartData,
      List<ContentBlock> others,
      @Nullable String leftOut) {
    /** None. */
    public static final Files NONE = new Files(null, null, List.of(), null);

    public Files {
      others = List.copyOf(others);
    }
  }

  /** The same with further warnings before those of its value. */
  public AnalyticsResult warning(List<String> further) {
    return new AnalyticsResult(queryId, value.warning(further), cacheHit, stdout, files);
  }

  /**
   * Warnings of the value, of its files, and further ones; null where there are none, as documents
   * have it.
   *
   * @param further what a reply had no room for, which its text says in its place
   */
  @Nullable List<String> warnings(List<String> further) {
    List<String> all = new ArrayList<>(value.warnings());
    if (files.leftOut() != null) {
      all.add(files.leftOut());
    }
    all.addAll(further);
    return all.isEmpty() ? null : all;
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
