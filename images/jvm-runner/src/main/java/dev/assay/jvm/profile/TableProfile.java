package dev.assay.jvm.profile;

import java.util.List;

/**
 * What a profile has found.
 *
 * @param memoryBytes of all columns, as Arrow stores them
 * @param fileBytes of the source
 * @param duplicateRows rows that are equal to an earlier one
 * @param isDuplicatesApproximate whether that is an estimate
 */
record TableProfile(
    List<ColumnProfile> columns,
    long rows,
    long memoryBytes,
    long fileBytes,
    long duplicateRows,
    boolean isDuplicatesApproximate) {
  TableProfile {
    columns = List.copyOf(columns);
  }

  double qualityScore() {
    double duplicates = rows == 0 ? 0 : (double) duplicateRows / rows;
    double score =
        QualityScore.of(columns.stream().map(ColumnProfile::nullFraction).toList(), duplicates);
    return Math.round(score * 100) / 100.0;
  }
}
