package dev.assay.frontend.dataset;

import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notes of a dataset that a reply has room for.
 *
 * @param shown the gravest, in their order
 * @param omitted how many others there are
 */
public record FittedNotes(List<DatasetNote> shown, int omitted) {
  /** What says how many others there are. */
  private static final int LAST_LINE_TOKENS = 16;

  public FittedNotes {
    shown = List.copyOf(shown);
  }

  /**
   * As many as fit.
   *
   * @param notes the gravest first
   * @param tokens about how long they may be as text
   */
  public static FittedNotes of(List<DatasetNote> notes, int tokens) {
    int left = tokens;
    for (int i = 0; i < notes.size(); i++) {
      left -= TokenEstimate.of(notes.get(i).line() + "\n");
      int needed = i == notes.size() - 1 ? 0 : LAST_LINE_TOKENS;
      if (left < needed) {
        return new FittedNotes(notes.subList(0, i), notes.size() - i);
      }
    }
    return new FittedNotes(notes, 0);
  }

  /** What all notes of a dataset take. */
  static int tokensOf(List<DatasetNote> notes) {
    return notes.stream().mapToInt(note -> TokenEstimate.of(note.line() + "\n")).sum();
  }

  /** How many others there are, for documents: null for none. */
  public @Nullable Integer omittedOrNull() {
    return omitted == 0 ? null : Integer.valueOf(omitted);
  }

  /**
   * A line for each, with a line feed at its end.
   *
   * @param elsewhere what shows the others
   */
  public String lines(String elsewhere) {
    StringBuilder lines = new StringBuilder();
    shown.forEach(note -> lines.append(note.line()).append('\n'));
    if (omitted > 0) {
      lines
          .append(shown.isEmpty() ? "[" : "[and ")
          .append(omitted)
          .append(shown.isEmpty() ? " note" : " more note")
          .append(omitted == 1 ? ": " : "s: ")
          .append(elsewhere)
          .append("]\n");
    }
    return lines.toString();
  }
}
