package dev.assay.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SeparatorHintTest {
  @Test
  void aSingleColumnThatNamesSeveralIsQuestioned() {
    assertThat(SeparatorHint.of(List.of("Datum;Filiale"))).get().asString().contains("sep=';'");
    assertThat(SeparatorHint.of(List.of("a\tb"))).get().asString().contains("sep='\\t'");
    assertThat(SeparatorHint.of(List.of("a|b"))).get().asString().contains("sep='|'");
  }

  @Test
  void otherTablesAreLeftAlone() {
    assertThat(SeparatorHint.of(List.of("a;b", "c"))).isEmpty();
    assertThat(SeparatorHint.of(List.of("price"))).isEmpty();
    assertThat(SeparatorHint.of(List.of())).isEmpty();
  }
}
