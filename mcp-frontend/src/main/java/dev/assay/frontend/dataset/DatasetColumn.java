package dev.assay.frontend.dataset;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.run.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of a dataset, fit to be shown.
 *
 * @param tableName name in SQL and Polars, where it differs
 * @param type pandas' name of the type
 * @param storedAs {@code string} where SQL and Polars have the values as text
 * @param nulls number of missing values
 * @param samples distinct values as text
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetColumn(
    String name,
    @Nullable String tableName,
    String type,
    @Nullable String storedAs,
    long nulls,
    @Nullable List<String> samples) {
  static DatasetColumn of(SnapshotColumn column) {
    return new DatasetColumn(
        Text.clean(column.name()),
        column.tableName() == null ? null : Text.clean(column.tableName()),
        Text.clean(column.type()),
        column.storedAs(),
        column.nulls(),
        column.samples() == null ? null : column.samples().stream().map(Text::clean).toList());
  }
}
