package dev.assay.operator.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.operator.pod.PodText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Validates the notes of a snapshot Pod, which are hostile input. All of one dataset together have
 * a limit, because they are part of its status.
 */
final class SnapshotNotes {
  static final int MAX_BYTES = 64 * 1024;

  private static final Map<String, NoteCode> CODES =
      KnownValues.of(NoteCode.class).stream()
          .collect(Collectors.toUnmodifiableMap(Enum::name, Function.identity()));

  /** The names of fields, numbers and punctuation. */
  private static final int BYTES_BESIDE_TEXTS = 120;

  private int room = MAX_BYTES;

  /**
   * The notes of one column or of the dataset, the gravest first; null if there are none, or none
   * that fit beside those that were read before.
   */
  @Nullable List<SnapshotNote> read(JsonNode list) {
    List<SnapshotNote> notes = new ArrayList<>();
    if (list.isArray()) {
      list.forEach(note -> note(note).ifPresent(notes::add));
    }
    notes.sort(Comparator.comparing(SnapshotNote::code));
    List<SnapshotNote> first = notes.stream().limit(SnapshotNote.MAX_NOTES).toList();
    room -= first.stream().mapToInt(SnapshotNotes::bytes).sum();
    return first.isEmpty() || room < 0 ? null : first;
  }

  /** Empty where this version does not know the code. */
  private static Optional<SnapshotNote> note(JsonNode note) {
    String message = PodText.line(note.path("message").asText(""), SnapshotNote.MAX_TEXT).strip();
    return message.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(CODES.get(note.path("code").asText("")))
            .map(
                code ->
                    new SnapshotNote(
                        code,
                        message,
                        Math.max(0, note.path("rows").asLong(0)),
                        firstRow(note.path("firstRow")),
                        option(note.path("option"))));
  }

  private static @Nullable Long firstRow(JsonNode number) {
    return number.isIntegralNumber() && number.canConvertToLong() && number.longValue() >= 0
        ? Long.valueOf(number.longValue())
        : null;
  }

  /** JSON that was cut would be none. */
  private static @Nullable String option(JsonNode json) {
    return json.isTextual() && json.textValue().length() <= SnapshotNote.MAX_TEXT
        ? PodText.line(json.textValue(), SnapshotNote.MAX_TEXT)
        : null;
  }

  private static int bytes(SnapshotNote note) {
    return BYTES_BESIDE_TEXTS + bytes(note.message()) + bytes(note.option());
  }

  private static int bytes(@Nullable String text) {
    return text == null ? 0 : TextNode.valueOf(text).toString().getBytes(UTF_8).length;
  }
}
