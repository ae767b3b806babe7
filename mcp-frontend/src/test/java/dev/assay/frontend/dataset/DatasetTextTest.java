package dev.assay.frontend.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.Fixtures;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DatasetTextTest {
  @Test
  void aDescriptionHasEachColumnWithItsValues() {
    assertThat(DatasetText.description(Fixtures.dataset("sales", DatasetPhase.Ready), 800))
        .isEqualTo(
            "sales (csv): 1 rows x 2 columns, 9 bytes, Ready, 100 bytes in memory. Columns"
                + " (values of the data are quoted):\n"
                + "- a: int64, such as \"1\"\n"
                + "- b: object (3 missing)");
  }

  @Test
  void columnsThatFindNoRoomAreCounted() {
    Dataset wide = Fixtures.dataset("wide", DatasetPhase.Ready);
    List<SnapshotColumn> columns =
        IntStream.range(0, 256)
            .mapToObj(i -> new SnapshotColumn("column" + i, "int64", 0, List.of("1", "2")))
            .toList();
    Snapshot narrow = Fixtures.snapshot();
    wide.setStatus(
        new DatasetStatus(
            DatasetPhase.Ready,
            null,
            1L,
            null,
            null,
            new Snapshot("s1", "p", 1, "00", 9, 1, 5000, columns, 100, null, narrow.frame())));

    String text = DatasetText.description(wide, 200);

    assertThat(text.length()).isLessThan(200 * 4 + 40);
    long shown = text.lines().filter(line -> line.startsWith("- ")).count();
    assertThat(text).endsWith("[and " + (5000 - shown) + " more columns]");
  }

  @Test
  void aDatasetThatFailsToBeReplacedIsListedWithWhatItStillHas() {
    Dataset dataset = Fixtures.dataset("sales", DatasetPhase.Ready);
    dataset.setStatus(
        new DatasetStatus(DatasetPhase.Failed, "line 3", 1L, null, null, Fixtures.snapshot()));

    assertThat(DatasetText.list(List.of(dataset)))
        .isEqualTo("sales: Failed: line 3; until it is replaced it has 1 rows x 2 columns");
  }
}
