package dev.assay.frontend.dataset;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.frontend.run.Text;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a dataset does not have as its source has it, or what may not mean what it seems to.
 *
 * @param column that it is about; absent if it is about the dataset as a whole
 * @param message one sentence without the name of the column
 * @param rows how many rows it is about; 0 if it is about all
 * @param firstRow the first of them, from 1
 * @param option options of the source that avoid it, as JSON
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetNote(
    @Nullable String column,
    NoteCode code,
    String message,
    long rows,
    @Nullable Long firstRow,
    @Nullable String option) {
  private static final int MAX_NAME = 80;

  /** All notes of a snapshot, the gravest first. */
  public static List<DatasetNote> allOf(Snapshot snapshot) {
    Stream<DatasetNote> ofColumns =
        orEmpty(snapshot.columns()).stream().flatMap(column -> of(column, column.notes()));
    return Stream.concat(of(null, snapshot.notes()), ofColumns)
        .sorted(Comparator.comparing(DatasetNote::code))
        .toList();
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private static Stream<DatasetNote> of(
      @Nullable SnapshotColumn column, @Nullable List<SnapshotNote> notes) {
    return orEmpty(notes).stream()
        .filter(note -> note.code() != null) // A newer operator knows more codes.
        .map(
            note ->
                new DatasetNote(
                    column == null ? null : Text.clean(column.name()),
                    note.code(),
                    Text.oneLine(note.message(), SnapshotNote.MAX_TEXT),
                    note.rows(),
                    note.firstRow(),
                    note.option() == null
                        ? null
                        : Text.oneLine(note.option(), SnapshotNote.MAX_TEXT)));
  }

  /** One line of a reply. */
  String line() {
    return "note: "
        + (column == null ? "" : Text.oneLine(column, MAX_NAME) + ": ")
        + message
        + (option == null ? "" : " (option: " + option + ")");
  }
}
