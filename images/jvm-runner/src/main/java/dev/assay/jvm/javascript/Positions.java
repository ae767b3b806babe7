package dev.assay.jvm.javascript;

/** Where a place of the text that runs is in the code that the user has sent. */
@FunctionalInterface
interface Positions {
  /** The text is what the user has sent. */
  Positions SAME = position -> position;

  /** The user's place. */
  Position original(Position position);

  /** Those of a text that was changed again, by which a place is looked up first. */
  default Positions changedBy(Positions change) {
    return position -> original(change.original(position));
  }

  /** Those of a text with an insertion that has no line break. */
  static Positions insertedAt(Position place, int length) {
    return position ->
        position.line() == place.line() && position.column() > place.column()
            ? new Position(position.line(), Math.max(position.column() - length, place.column()))
            : position;
  }
}
