package dev.assay.jvm.javascript;

/**
 * JavaScript, and where it is from.
 *
 * @param text the JavaScript
 * @param positions of the text in the code of the user
 */
record Source(String text, Positions positions) {
  /** The text with an insertion that has no line break. */
  Source inserted(int offset, String insertion) {
    int lineStart = text.lastIndexOf('\n', offset - 1) + 1;
    int line = 1 + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
    Position place = new Position(line, offset - lineStart + 1);
    return new Source(
        text.substring(0, offset) + insertion + text.substring(offset),
        positions.changedBy(Positions.insertedAt(place, insertion.length())));
  }
}
