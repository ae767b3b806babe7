package dev.assay.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SeparatorHintTest {
  @Test
  void aSingleColumnThatNamesSeveralIsQuestioned() {
    assertThat(hint("Datum;Filiale"))
        .hasValue(
            new SeparatorHint(
                "the only column is 'Datum;Filiale': is --option sep=';' missing?",
                "--option sep=';'"));
    assertThat(hint("a\tb")).get().asString().contains("sep='\\t'");
    assertThat(hint("a|b")).get().asString().contains("sep='|'");
  }

  @Test
  void otherTablesAreLeftAlone() {
    assertThat(hint("a;b", "c")).isEmpty();
    assertThat(hint("price")).isEmpty();
    assertThat(hint()).isEmpty();
  }

  private static Optional<SeparatorHint> hint(String... columns) {
    return SeparatorHint.of(
        Stream.of(columns)
            .map(
                name ->
                    SnapshotColumnBuilder.builder()
                        .name(name)
                        .type("str")
                        .samples(List.of())
                        .build())
            .toList());
  }
}
