package dev.assay.jvm.profile;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Counts the rows that are equal to an earlier one, by hashes of 64 bits.
 *
 * <p>Large tables are divided by the hash of their rows, so that equal rows are in the same part,
 * and one part is counted.
 *
 * @param parts into how many parts the table is divided
 */
record DuplicateRows(long rows, long parts) {
  static final long MAX_EXACT_ROWS = 1_000_000;

  /** Arguments of one call, since the engine takes a stack frame for each. */
  private static final int MAX_HASHED = 100;

  /** Below that many standard errors a difference may be chance. */
  private static final double SIGNIFICANT = 4;

  static DuplicateRows of(long rows) {
    return new DuplicateRows(rows, Math.max(1, Math.ceilDiv(rows, MAX_EXACT_ROWS)));
  }

  boolean isExact() {
    return parts == 1;
  }

  /**
   * The query for the rows of the part, and how many of them are different. It groups, which is
   * faster than an aggregate over different values, even though it reads the table again.
   */
  String query(SourceTable table) {
    List<String> names = table.columns().stream().map(SourceColumn::alias).toList();
    while (names.size() > MAX_HASHED) {
      names = hashed(names);
    }
    return "SELECT coalesce(sum(n), 0)::BIGINT, count(*) FROM (SELECT count(*) AS n FROM"
        + " (SELECT hash(%s) AS h FROM %s) WHERE h %% %d = 0 GROUP BY h)"
            .formatted(String.join(",", names), table.aliased(), parts);
  }

  private static List<String> hashed(List<String> names) {
    return IntStream.iterate(0, i -> i < names.size(), i -> i + MAX_HASHED)
        .mapToObj(i -> names.subList(i, Math.min(i + MAX_HASHED, names.size())))
        .map(group -> group.stream().collect(Collectors.joining(",", "hash(", ")")))
        .toList();
  }

  /**
   * How many rows are duplicates.
   *
   * <p>The duplicates of a part, times the parts, are right where each row is repeated a few times.
   * Where a few rows are repeated often, which are probably in other parts, the different rows of
   * the part, times the parts, are.
   *
   * @param partRows rows of the part
   * @param different how many of them are different
   */
  long estimate(long partRows, long different) {
    if (isExact() || rows == 0) {
      return partRows - different;
    }
    double spread = (double) (partRows - different) * parts;
    double clustered = rows - (double) different * parts;
    double standardError = parts * Math.sqrt((double) different);
    double estimate = clustered - spread > SIGNIFICANT * standardError ? clustered : spread;
    return Math.clamp(Math.round(estimate), 0, rows - 1);
  }
}
