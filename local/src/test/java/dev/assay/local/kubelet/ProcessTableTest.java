package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessTableTest {
  @Test
  void descendantsAreChildrenOfAnyDepthAndNotTheAncestor() {
    ProcessTable table =
        new ProcessTable(Map.of(1L, List.of(2L, 9L), 2L, List.of(3L, 4L), 4L, List.of(5L)));

    assertThat(table.descendants(2)).containsExactlyInAnyOrder(3L, 4L, 5L);
    assertThat(table.descendants(5)).isEmpty();
  }

  @Test
  void aNameWithBracketsAndSpacesHidesNoParent() {
    assertThat(ProcessTable.parent("12 (a) R 7) S 34 12 12 0")).isEqualTo(34);
  }

  @Test
  void aProcessThatIsGoneHasNoParentAndNoMemory() {
    assertThat(ProcessTable.parent("")).isZero();
    assertThat(ProcessTable.residentBytes("")).isZero();
  }

  @Test
  void memoryOfFilesOnDiskIsNotCounted() {
    assertThat(
            ProcessTable.residentBytes(
                "VmRSS:\t  999 kB\nRssAnon:\t   10 kB\nRssFile:\t  900 kB\nRssShmem:\t    2 kB\n"))
        .isEqualTo(12 * 1024);
  }
}
