package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of a snapshot's frame.
 *
 * @param name as pandas has it, cut at 256 characters
 * @param type pandas' own name of the type
 * @param nulls how many values are missing
 * @param samples up to three distinct values as text, each cut at 64 characters; absent where the
 *     table is too wide for them
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SnapshotColumn(
    @Required @Size(max = 256) String name,
    @Required @Size(max = 128) String type,
    long nulls,
    @Size(max = 3) @Nullable List<@Size(max = 64) String> samples) {}
