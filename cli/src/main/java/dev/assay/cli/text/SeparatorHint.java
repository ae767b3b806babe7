package dev.assay.cli.text;

import dev.assay.api.v1alpha1.SeparatorGuess;
import dev.assay.api.v1alpha1.SnapshotColumn;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The hint that a table was read with the wrong separator.
 *
 * @param text for a person
 * @param options of the command that loads it otherwise
 */
public record SeparatorHint(String text, String options) {
  /**
   * A hint; empty if the columns look right.
   *
   * @param columns all columns
   */
  public static Optional<SeparatorHint> of(List<SnapshotColumn> columns) {
    if (columns.size() != 1) {
      return Optional.empty();
    }
    SnapshotColumn only = columns.getFirst();
    List<String> samples = only.samples() == null ? List.of() : only.samples();
    return SeparatorGuess.of(only.name(), samples)
        .map(
            guess -> {
              String options =
                  guess.options().entrySet().stream()
                      .map(SeparatorHint::option)
                      .collect(Collectors.joining(" "));
              return new SeparatorHint(
                  "the only column is '%s': is %s missing?"
                      .formatted(TerminalText.printable(only.name().replace("\t", "\\t")), options),
                  options);
            });
  }

  private static String option(Map.Entry<String, String> option) {
    return "--option %s='%s'".formatted(option.getKey(), option.getValue().replace("\t", "\\t"));
  }
}
