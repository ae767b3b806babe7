package dev.assay.jvm.profile;

/**
 * A column of the table.
 *
 * @param position from 0
 * @param name any text
 * @param type the engine's name of its type
 * @param isMixed whether the snapshot stores values of several types as text
 */
record SourceColumn(int position, String name, String type, boolean isMixed) {
  /** Its name in queries, whatever its own is. */
  String alias() {
    return "c" + position;
  }

  StorageType storage() {
    return StorageType.of(type);
  }

  /** Its value as an expression, in which NaN is null. */
  String value() {
    return storage() == StorageType.FLOATING
        ? "nullif(%s, 'nan'::%s)".formatted(alias(), type)
        : alias();
  }

  /** Its value as an expression, which is null unless it is finite. */
  String finite() {
    return switch (storage()) {
      case FLOATING, TIME -> "(CASE WHEN isfinite(%s) THEN %<s END)".formatted(alias());
      default -> alias();
    };
  }

  /** Its value as text, of any length. */
  String asText() {
    return storage() == StorageType.TEXT ? alias() : alias() + "::VARCHAR";
  }
}
