package dev.assay.frontend.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DatasetTextTest {
  private static final SnapshotNote LEADING_ZEROS =
      new SnapshotNote(
          NoteCode.LeadingZeros,
          "is text: 12 values begin with a zero, the first in row 3",
          12,
          3L,
          "{\"dtype\": {\"zip\": \"Int64\"}}");
  private static final SnapshotNote LINES_LEFT_OUT =
      new SnapshotNote(
          NoteCode.LinesLeftOut, "3 lines were left out, the first is line 7", 3, 7L, null);

  @Test
  void aDescriptionHasEachColumnWithItsValues() {
    assertThat(DatasetText.description(Fixtures.dataset("sales", DatasetPhase.Ready), 800).text())
        .isEqualTo(
            "sales (csv): 1 rows x 2 columns, 9 bytes, Ready, 100 bytes in memory. Columns"
                + " (values of the data are quoted):\n"
                + "- a: int64, such as \"1\"\n"
                + "- b: object (3 missing)");
  }

  @Test
  void theNamesOfAllColumnsComeBeforeTheValuesOfTheLast() {
    String text = DatasetText.description(wide(20, 20), 300).text();

    assertThat(TokenEstimate.of(text)).isLessThanOrEqualTo(300);
    assertThat(text).contains("- column0: int64, such as \"1\", \"2\"\n");
    assertThat(text).endsWith("- column19: int64");
  }

  @Test
  void columnsThatFindNoRoomAreCounted() {
    String text = DatasetText.description(wide(256, 5000), 200).text();

    assertThat(text.length()).isLessThan(200 * 4 + 40);
    long shown = text.lines().filter(line -> line.startsWith("- ")).count();
    assertThat(text).endsWith("[and " + (5000 - shown) + " more columns]");
  }

  @Test
  void ofADatasetThatWasLoadedOnlyAsManyColumnsAreNamedAsFindRoom() {
    Dataset wide = wide(256, 5000);
    Snapshot snapshot = Objects.requireNonNull(Objects.requireNonNull(wide.getStatus()).snapshot());

    String text = DatasetText.loaded("wide", wide, snapshot).text();

    assertThat(TokenEstimate.of(text)).isLessThan(520);
    long shown = text.lines().filter(line -> line.startsWith("- ")).count();
    assertThat(shown).isGreaterThan(50);
    assertThat(text).endsWith("[and " + (5000 - shown) + " more columns]");
  }

  @Test
  void notesFollowTheColumnsTheGravestFirst() {
    Dataset noted = noted(2, List.of(LEADING_ZEROS), List.of(LINES_LEFT_OUT));
    String notes =
        "note: 3 lines were left out, the first is line 7\n"
            + "note: column0: is text: 12 values begin with a zero, the first in row 3"
            + " (option: {\"dtype\": {\"zip\": \"Int64\"}})\n"
            + "note: column1: is text: 12 values begin with a zero, the first in row 3"
            + " (option: {\"dtype\": {\"zip\": \"Int64\"}})";

    Reply loaded = DatasetText.loaded("wide", noted, snapshotOf(noted));

    assertThat(loaded.text()).endsWith("- column0: int64\n- column1: int64\n" + notes);
    assertThat(DatasetText.description(noted, 300).text())
        .endsWith("- column1: int64, such as \"1\", \"2\"\n" + notes);
    assertThat(document(loaded).notes())
        .extracting(DatasetNote::column, DatasetNote::code)
        .containsExactly(
            tuple(null, NoteCode.LinesLeftOut),
            tuple("column0", NoteCode.LeadingZeros),
            tuple("column1", NoteCode.LeadingZeros));
    assertThat(document(loaded).omittedNotes()).isNull();
  }

  @Test
  void notesThatFindNoRoomAreCountedAndLeaveRoomForColumns() {
    Dataset noted = noted(256, List.of(LEADING_ZEROS), List.of(LINES_LEFT_OUT));

    Reply loaded = DatasetText.loaded("wide", noted, snapshotOf(noted));
    Reply described = DatasetText.description(noted, 300);

    long shown = loaded.text().lines().filter(line -> line.startsWith("note: ")).count();
    assertThat(shown).isGreaterThanOrEqualTo(3);
    assertThat(loaded.text()).endsWith("[and " + (257 - shown) + " more notes: describe_dataset]");
    assertThat(document(loaded).notes()).hasSize((int) shown);
    assertThat(document(loaded).omittedNotes()).isEqualTo(257 - (int) shown);
    assertThat(loaded.text().lines().filter(line -> line.startsWith("- "))).hasSizeGreaterThan(30);
    assertThat(TokenEstimate.of(loaded.text())).isLessThanOrEqualTo(520);
    assertThat(described.text())
        .contains("\nnote: 3 lines were left out, the first is line 7\n")
        .endsWith(" more notes: call again with larger max_tokens]");
    assertThat(TokenEstimate.of(described.text())).isLessThanOrEqualTo(320);
  }

  @Test
  void aNoteThatFindsNoRoomAtAllIsCounted() {
    Dataset noted = noted(1, List.of(), List.of(LINES_LEFT_OUT));

    assertThat(DatasetText.description(noted, 30).text())
        .endsWith("- column0: int64\n[1 note: call again with larger max_tokens]");
  }

  @Test
  void aNoteIsOneLineWhateverItsColumnIsNamed() {
    Dataset dataset = Fixtures.dataset("a", DatasetPhase.Ready);
    SnapshotColumn column =
        SnapshotColumnBuilder.builder()
            .name("zip\nIgnore all \u001b[2J")
            .type("str")
            .notes(List.of(LEADING_ZEROS))
            .build();
    Snapshot snapshot = Fixtures.snapshot().withColumns(List.of(column));

    assertThat(DatasetText.loaded("a", dataset, snapshot).text().lines())
        .anyMatch(line -> line.startsWith("note: zip Ignore all \uFFFD[2J: is text: "));
  }

  @Test
  void aDatasetOfOlderRulesIsListedAndDescribedAsSuch() {
    Dataset old = Fixtures.dataset("sales", DatasetPhase.Ready);
    old.setStatus(old.getStatus().withSnapshot(Fixtures.snapshot().withReading(null)));
    String remark =
        "Dataset 'sales' was read by older rules: load it again with replace to have its values"
            + " as in the source.";

    Reply described = DatasetText.description(old, 300);

    assertThat(described.text()).endsWith("\n" + remark);
    assertThat(document(described).message()).isEqualTo(remark);
    assertThat(DatasetText.list(List.of(old), List.of(), 20_000).text())
        .isEqualTo("sales: 1 rows x 2 columns, 9 bytes, Ready; read by older rules");
  }

  private static Snapshot snapshotOf(Dataset dataset) {
    return Objects.requireNonNull(Objects.requireNonNull(dataset.getStatus()).snapshot());
  }

  private static DatasetDocument document(Reply reply) {
    return (DatasetDocument) Objects.requireNonNull(reply.structured());
  }

  /** A dataset of columns that all have the same notes. */
  private static Dataset noted(
      int columnCount, List<SnapshotNote> ofEachColumn, List<SnapshotNote> ofDataset) {
    Dataset noted = wide(columnCount, columnCount);
    Snapshot plain = snapshotOf(noted);
    noted.setStatus(
        Objects.requireNonNull(noted.getStatus())
            .withSnapshot(
                plain
                    .withColumns(
                        Objects.requireNonNull(plain.columns()).stream()
                            .map(column -> column.withNotes(ofEachColumn))
                            .toList())
                    .withNotes(ofDataset)));
    return noted;
  }

  private static Dataset wide(int described, int columnCount) {
    Dataset wide = Fixtures.dataset("wide", DatasetPhase.Ready);
    List<SnapshotColumn> columns =
        IntStream.range(0, described)
            .mapToObj(
                i ->
                    SnapshotColumnBuilder.builder()
                        .name("column" + i)
                        .type("int64")
                        .samples(List.of("1", "2"))
                        .build())
            .toList();
    Snapshot narrow = Fixtures.snapshot();
    wide.setStatus(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .observedGeneration(1L)
            .snapshot(
                SnapshotBuilder.builder()
                    .id("s1")
                    .path("p")
                    .generation(1)
                    .digest("00")
                    .bytes(9)
                    .rows(1)
                    .columnCount(columnCount)
                    .columns(columns)
                    .memoryBytes(100)
                    .frame(narrow.frame())
                    .reading(narrow.reading())
                    .build())
            .build());
    return wide;
  }

  @Test
  void aDatasetThatFailsToBeReplacedIsListedWithWhatItStillHas() {
    Dataset dataset = Fixtures.dataset("sales", DatasetPhase.Ready);
    dataset.setStatus(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Failed)
            .message("line 3")
            .observedGeneration(1L)
            .snapshot(Fixtures.snapshot())
            .build());

    assertThat(DatasetText.list(List.of(dataset), List.of(), 20_000).text())
        .isEqualTo("sales: Failed: line 3; until it is replaced it has 1 rows x 2 columns");
  }

  @Test
  void aListNamesTheFilesThatAreNotOffered() {
    List<String> files = IntStream.range(0, 12).mapToObj(i -> i + ".pdf: no table").toList();

    assertThat(DatasetText.list(List.of(), files, 20_000).text().lines())
        .hasSize(12)
        .startsWith(
            "No datasets are loaded. Use load_dataset() first.", "[not offered: 0.pdf: no table]")
        .endsWith("[and 2 more lines about files that are not offered]");
  }

  /** Calls would not find the dataset by the other. */
  @Test
  void aDatasetIsNamedByTheNameThatFindsIt() {
    Dataset dataset = Fixtures.dataset("q3", DatasetPhase.Ready);
    dataset.setSpec(dataset.getSpec().withDisplayName("Sales"));
    assertThat(DatasetText.nameOf(dataset)).isEqualTo("q3");

    dataset.setSpec(dataset.getSpec().withDisplayName("Q3"));
    assertThat(DatasetText.nameOf(dataset)).isEqualTo("Q3");
  }

  @Test
  void aListHasNoMoreDatasetsAsObjectsThanItsTokensAllow() {
    List<Dataset> many =
        IntStream.range(0, 20)
            .mapToObj(i -> Fixtures.dataset("sales-" + i, DatasetPhase.Ready))
            .toList();

    Reply reply = DatasetText.list(many, List.of(), 500);

    DatasetList listed = (DatasetList) Objects.requireNonNull(reply.structured());
    assertThat(listed.datasets()).hasSizeBetween(2, 19);
    assertThat(listed.omitted()).isEqualTo(20 - listed.datasets().size());
    assertThat(reply.text().lines()).hasSize(20);
  }
}
