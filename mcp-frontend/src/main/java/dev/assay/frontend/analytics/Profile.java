package dev.assay.frontend.analytics;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table.
 *
 * @param memoryBytes of its frame
 * @param fileBytes of its source
 * @param qualityScore 0 to 100
 * @param duplicateRows rows that are equal to an earlier one; null where they were not counted
 * @param duplicateRowsApprox true where they were estimated
 */
public record Profile(
    List<ColumnProfile> columns,
    long rowCount,
    long columnCount,
    long memoryBytes,
    long fileBytes,
    double qualityScore,
    @Nullable Long duplicateRows,
    @Nullable Boolean duplicateRowsApprox,
    List<String> recommendations) {}
