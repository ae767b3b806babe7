package dev.assay.frontend.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DatasetTextTest {
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

    assertThat(DatasetText.list(List.of(dataset), 20_000).text())
        .isEqualTo("sales: Failed: line 3; until it is replaced it has 1 rows x 2 columns");
  }

  @Test
  void aListHasNoMoreDatasetsAsObjectsThanItsTokensAllow() {
    List<Dataset> many =
        IntStream.range(0, 20)
            .mapToObj(i -> Fixtures.dataset("sales-" + i, DatasetPhase.Ready))
            .toList();

    Reply reply = DatasetText.list(many, 500);

    DatasetList listed = (DatasetList) Objects.requireNonNull(reply.structured());
    assertThat(listed.datasets()).hasSizeBetween(2, 19);
    assertThat(listed.omitted()).isEqualTo(20 - listed.datasets().size());
    assertThat(reply.text().lines()).hasSize(20);
  }
}
