package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A complete, unchanging copy of a source, with the frame made from it.
 *
 * @param id identity; unique in the namespace
 * @param path its directory, relative to the namespace's volume
 * @param generation the dataset's generation that it was made from
 * @param digest SHA-256 of the source's bytes, in hexadecimal
 * @param bytes length of the source
 * @param rows of the frame
 * @param columnCount of the frame
 * @param columns the first 256 of them
 * @param memoryBytes what the frame takes in memory
 * @param peakMemoryBytes by how much a process grows at most that loads the frame as a run does;
 *     absent where the runner did not say
 * @param frame {@code arrow} where the frame is stored, {@code source} where it is read again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Snapshot(
    @Required @Size(max = 128) String id,
    @Required @Size(max = 512) String path,
    long generation,
    @Required @Size(max = 64) String digest,
    long bytes,
    long rows,
    long columnCount,
    @Size(max = 256) @Nullable List<SnapshotColumn> columns,
    long memoryBytes,
    @Nullable Long peakMemoryBytes,
    @Size(max = 16) @Nullable String frame) {}
