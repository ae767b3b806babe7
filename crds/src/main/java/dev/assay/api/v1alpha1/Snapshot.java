package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A complete, unchanging copy of a source, with the frame made from it.
 *
 * @param id id of the snapshot, unique in the namespace
 * @param path directory of the snapshot, relative to the namespace's volume
 * @param generation generation of the dataset that it was made from
 * @param digest SHA-256 of the source's bytes, in hexadecimal; of a folder, of the paths and
 *     digests of its files
 * @param bytes size of the source
 * @param rows rows of the frame
 * @param columnCount columns of the frame
 * @param columns the first 256 columns
 * @param tableColumns columns of the table that SQL and Polars read; absent if the snapshot was
 *     made before there were tables, so that the dataset has to be loaded again for them
 * @param memoryBytes size of the frame in memory; 0 if there is none
 * @param peakMemoryBytes peak memory growth of a process that loads the frame as a run does; absent
 *     if the runner did not report it
 * @param frame {@code arrow} if the frame is stored, {@code source} if each run reads the source,
 *     {@code none} if there is no frame and no {@code df}
 * @param notes what is not as in the source, of the dataset as a whole, the gravest first; absent
 *     if there is nothing
 * @param untrusted whether its source may contain content of tool servers; absent if not
 * @param reading number of the rules that the source was read by; absent if they are the first
 */
@RecordBuilder
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
    @Nullable Long tableColumns,
    long memoryBytes,
    @Nullable Long peakMemoryBytes,
    @Size(max = 16) @Nullable String frame,
    @Size(max = SnapshotNote.MAX_NOTES) @Nullable List<SnapshotNote> notes,
    @Nullable Boolean untrusted,
    @Nullable Integer reading)
    implements SnapshotBuilder.With {
  /** The number of the rules that sources are read by now. The runner has the same. */
  public static final int READING = 2;

  /** Whether its source would be read by other rules now. */
  public boolean wasReadByOlderRules() {
    return reading == null || reading < READING;
  }
}
