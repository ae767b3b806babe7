package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of a snapshot's frame.
 *
 * @param name name in pandas, truncated to 256 characters
 * @param tableName name in SQL and Polars, truncated likewise; absent if it is the same
 * @param type pandas' name of the type
 * @param storedAs {@code string} if the table has the values as text, because they have no common
 *     type or one that Parquet cannot hold; else absent
 * @param nulls number of missing values
 * @param samples up to three distinct values as text, each truncated to 64 characters; absent if
 *     the table is too wide
 * @param notes what is not as in the source, the gravest first; absent if there is nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@RecordBuilder
public record SnapshotColumn(
    @Required @Size(max = 256) String name,
    @Size(max = 256) @Nullable String tableName,
    @Required @Size(max = 128) String type,
    @Size(max = 16) @Nullable String storedAs,
    long nulls,
    @Size(max = 3) @Nullable List<@Size(max = 64) String> samples,
    @Size(max = SnapshotNote.MAX_NOTES) @Nullable List<SnapshotNote> notes)
    implements SnapshotColumnBuilder.With {}
