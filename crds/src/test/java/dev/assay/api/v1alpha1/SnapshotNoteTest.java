package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Keeps the notes equal to those of the runner, and their table in docs/datasets.md to the enum.
 *
 * <p>After a change of the enum: {@code ./mvnw -pl crds test -Dcrds.write}.
 */
class SnapshotNoteTest {
  private static final Path PAGE = Path.of("../docs/datasets.md");
  private static final Path READING = Path.of("../images/runner/src/assay_runner/snapshot/reading");
  private static final Pattern CODE = Pattern.compile("(?m)^    [A-Z0-9_]+ = \"(\\w+)\"$");

  @Test
  void theCodesAreThoseOfTheRunnerInItsOrder() throws IOException {
    List<String> codes =
        CODE.matcher(Files.readString(READING.resolve("notes.py")))
            .results()
            .map(found -> found.group(1))
            .toList();

    assertThat(KnownValues.of(NoteCode.class).stream().map(Enum::name)).isEqualTo(codes);
  }

  @Test
  void thePageHasEveryCodeAsItsEnumDescribesIt() throws IOException {
    String page = Files.readString(PAGE);
    String generated = EnumTable.replaceIn(page, NoteCode.class);
    if (System.getProperty("crds.write") != null) {
      Files.writeString(PAGE, generated);
      page = generated;
    }
    assertThat(page).isEqualTo(generated);
  }

  @Test
  void theBoundsAreThoseOfTheRunner() throws IOException {
    assertThat(Files.readString(READING.resolve("notes.py")))
        .contains("_MAX_NOTES = " + SnapshotNote.MAX_NOTES + "\n")
        .contains("_MAX_CHARACTERS = " + SnapshotNote.MAX_TEXT + "\n");
  }

  @Test
  void theNumberOfTheRulesIsThatOfTheRunner() throws IOException {
    assertThat(
            Pattern.compile("(?m)^READING = (\\d+)$")
                .matcher(Files.readString(READING.resolve("__init__.py")))
                .results()
                .map(MatchResult::group))
        .containsExactly("READING = " + Snapshot.READING);
  }

  @Test
  void aNoteWithACodeOfALaterVersionCanBeReadWithoutIt() throws IOException {
    SnapshotNote read =
        new ObjectMapper()
            .readValue(
                "{\"code\":\"Invented\",\"message\":\"is new\",\"rows\":3}", SnapshotNote.class);

    assertThat(read.code()).isNull();
    assertThat(read.message()).isEqualTo("is new");
  }

  @Test
  void aSnapshotWithoutANumberOrWithALowerOneIsOfOlderRules() {
    Snapshot snapshot = SnapshotBuilder.builder().id("s").path("p").digest("d").build();

    assertThat(snapshot.wasReadByOlderRules()).isTrue();
    assertThat(snapshot.withReading(Snapshot.READING - 1).wasReadByOlderRules()).isTrue();
    assertThat(snapshot.withReading(Snapshot.READING).wasReadByOlderRules()).isFalse();
  }
}
