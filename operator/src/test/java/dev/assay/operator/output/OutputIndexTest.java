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
    index.put("team-a", new OutputEntry("grown", 3, 0, BEFORE));
    index.put("team-a", new OutputEntry("removed", 3, 0, BEFORE));
    index.put("team-b", new OutputEntry("theirs", 3, 0, BEFORE));
    List<OutputEntry> listed =
        List.of(new OutputEntry("grown", 5, 0, BEFORE), new OutputEntry("new", 1, 0, BEFORE));
    index.replace("team-a", listed, BEGUN);
    assertThat(index.entries("team-a")).containsExactlyInAnyOrderElementsOf(listed);
    assertThat(index.entries("team-b")).hasSize(1);
  }

  @Test
  void whatWasWrittenSinceTheListingBeganIsKept() {
    OutputEntry grown = new OutputEntry("grown", 5, 0, SINCE);
    OutputEntry created = new OutputEntry("created", 5, 0, BEGUN);
    index.put("team-a", grown);
    index.put("team-a", created);
    index.replace("team-a", List.of(new OutputEntry("grown", 3, 0, BEFORE)), BEGUN);
    assertThat(index.entries("team-a")).containsExactlyInAnyOrder(grown, created);
  }
}
