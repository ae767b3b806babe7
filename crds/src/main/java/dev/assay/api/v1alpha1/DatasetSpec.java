package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Where a dataset comes from. A change of the spec creates a new snapshot; runs that were pinned to
 * the earlier one keep it.
 *
 * @param displayName the name as its owner wrote it, such as {@code sales_data}, from which the
 *     resource name {@code sales-data} was made
 * @param className the RunClass of purpose Snapshot that reads the source
 * @param source where the bytes come from, and how to read them
 * @param caller whom it belongs to: only this caller, and keys that may do all, replace or delete
 *     it
 * @param loadId any text; another one loads the same source again, such as a file that has changed
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetSpec(
    @Pattern(DatasetName.PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL)
        @Nullable String displayName,
    @Default("snapshot") @Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL)
        String className,
    @Required DatasetSource source,
    @Size(max = 253) @Nullable String caller,
    @Size(max = 64) @Nullable String loadId)
    implements DatasetSpecBuilder.With {}
