package dev.assay.cli.text;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Detects a table that was read with the wrong separator. */
public final class SeparatorHint {
  private SeparatorHint() {}

  /**
   * A hint for a person; empty if the columns look right.
   *
   * @param columns the names of all columns
   */
  public static Optional<String> of(List<String> columns) {
    if (columns.size() != 1) {
      return Optional.empty();
    }
    String only = columns.getFirst();
    return Stream.of(";", "\t", "|")
        .filter(only::contains)
        .findFirst()
        .map(
            separator ->
                "the only column is '%s': is --option sep='%s' missing?"
                    .formatted(
                        TerminalText.printable(only.replace("\t", "\\t")),
                        separator.replace("\t", "\\t")));
  }
}
