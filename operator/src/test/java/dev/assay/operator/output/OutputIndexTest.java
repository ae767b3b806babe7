package dev.assay.operator.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutputIndexTest {
  private static final Instant BEFORE = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant BEGUN = BEFORE.plusSeconds(10);
  private static final Instant SINCE = BEGUN.plusSeconds(1);

  private final OutputIndex index = new OutputIndex();

  @Test
  void aListReplacesWhatWasKnownBeforeIt() {
    put("team-a", output("grown", 3, BEFORE));
    put("team-a", output("removed", 3, BEFORE));
    put("team-b", output("theirs", 3, BEFORE));
    List<OutputEntry> listed = List.of(output("grown", 5, BEFORE), output("new", 1, BEFORE));
    index.replace("team-a", listed, BEGUN);
    assertThat(index.entries("team-a")).containsExactlyInAnyOrderElementsOf(listed);
    assertThat(index.entries("team-b")).hasSize(1);
  }

  private void put(String namespace, OutputEntry entry) {
    index.update(namespace, entry, stored -> stored);
  }

  private static OutputEntry output(String runUid, long bytes, Instant written) {
    return OutputEntry.empty(runUid, written).withOutput(bytes, written);
  }

  @Test
  void whatWasWrittenSinceTheListingBeganIsKept() {
    OutputEntry grown = output("grown", 5, SINCE);
    OutputEntry created = output("created", 5, BEGUN);
    put("team-a", grown);
    put("team-a", created);
    index.replace("team-a", List.of(output("grown", 3, BEFORE)), BEGUN);
    assertThat(index.entries("team-a")).containsExactlyInAnyOrder(grown, created);
  }
}
