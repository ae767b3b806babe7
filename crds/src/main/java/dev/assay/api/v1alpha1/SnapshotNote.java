package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * What is not as in the source, or may not mean what it seems to.
 *
 * @param code what it is about
 * @param message one sentence without the name of the column
 * @param rows how many rows it is about; 0 if it is about all
 * @param firstRow the first of them, from 1; absent if it is about all
 * @param option options of the source that avoid it, as JSON; absent if there are none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SnapshotNote(
    // A front end that does not know a code of a newer operator still reads the dataset.
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL) @Required NoteCode code,
    @Required @Size(max = SnapshotNote.MAX_TEXT) String message,
    long rows,
    @Nullable Long firstRow,
    @Size(max = SnapshotNote.MAX_TEXT) @Nullable String option) {
  /** Characters of a message, and of options. */
  public static final int MAX_TEXT = 240;

  /** Notes of a column, and of a dataset as a whole. */
  public static final int MAX_NOTES = 8;
}
