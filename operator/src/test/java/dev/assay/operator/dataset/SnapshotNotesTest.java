package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.SnapshotNote;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotNotesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void theGravestComeFirstAndNoMoreThanEightStay() {
    String least = note("ReaderWarning", "a warning");
    String many = String.join(",", Collections.nCopies(9, least));

    assertThat(read("[" + many + "," + note("Rounded", "is rounded") + "]"))
        .hasSize(8)
        .startsWith(new SnapshotNote(NoteCode.Rounded, "is rounded", 0, null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "null",
        "{}",
        "\"text\"",
        "[7, null, [], \"x\"]",
        "[{\"code\":\"Invented\",\"message\":\"m\",\"rows\":1}]",
        "[{\"code\":7,\"message\":\"m\",\"rows\":1}]",
        "[{\"message\":\"m\",\"rows\":1}]",
        "[{\"code\":\"Rounded\",\"rows\":1}]",
        "[{\"code\":\"Rounded\",\"message\":\" \\n\",\"rows\":1}]",
        "[{\"code\":\"Rounded\",\"message\":{},\"rows\":1}]"
      })
  void whatIsNoNoteOfAKnownCodeIsLeftOut(String notes) {
    assertThat(new SnapshotNotes().read(json(notes))).isNull();
  }

  @Test
  void aMessageIsOneLineOfLimitedLength() {
    String message = "a\\nb\\u001b[31m\\u202e" + "c".repeat(300);

    assertThat(read("[" + note("Rounded", message) + "]").getFirst().message())
        .startsWith("a b\uFFFD[31m\uFFFDccc")
        .hasSize(240);
  }

  @Test
  void optionsThatAreTooLongAreLeftOutAsAreThoseThatAreNoText() {
    String good = "{\"code\":\"Rounded\",\"message\":\"m\",\"option\":";

    assertThat(read("[" + good + "\"" + "x".repeat(240) + "\"}]").getFirst().option()).hasSize(240);
    assertThat(read("[" + good + "\"" + "x".repeat(241) + "\"}]").getFirst().option()).isNull();
    assertThat(read("[" + good + "{\"dtype\":1}}]").getFirst().option()).isNull();
    assertThat(read("[" + good + "\"a\\nb\"}]").getFirst().option()).isEqualTo("a b");
  }

  @Test
  void countsThatAreNoneAreZeroOrMissing() {
    for (String number : List.of("-1", "\"x\"", "null", "{}")) {
      SnapshotNote note =
          read("[{\"code\":\"Rounded\",\"message\":\"m\",\"rows\":%1$s,\"firstRow\":%1$s}]"
                  .formatted(number))
              .getFirst();
      assertThat(note.rows()).as(number).isZero();
      assertThat(note.firstRow()).as(number).isNull();
    }
  }

  @Test
  void allNotesOfADatasetTogetherAreLimitedHoweverTheirTextIsWritten() throws Exception {
    SnapshotNotes notes = new SnapshotNotes();
    String quotes = note("Rounded", "\\\"\u20ac".repeat(120));
    JsonNode eight = json("[" + String.join(",", Collections.nCopies(8, quotes)) + "]");

    int bytes = 0;
    int kept = 0;
    for (int i = 0; i < 256; i++) {
      List<SnapshotNote> read = notes.read(eight);
      bytes += read == null ? 0 : JSON.writeValueAsBytes(read).length;
      kept += read == null ? 0 : 1;
    }

    assertThat(kept).isBetween(10, 20);
    assertThat(bytes).isLessThanOrEqualTo(SnapshotNotes.MAX_BYTES);
    assertThat(notes.read(json("[" + note("Rounded", "m") + "]"))).isNull();
  }

  private static String note(String code, String message) {
    return "{\"code\":\"" + code + "\",\"message\":\"" + message + "\",\"rows\":0}";
  }

  private static List<SnapshotNote> read(String notes) {
    return Objects.requireNonNull(new SnapshotNotes().read(json(notes)));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
