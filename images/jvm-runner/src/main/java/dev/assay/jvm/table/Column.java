package dev.assay.jvm.table;

/**
 * A column of a result.
 *
 * @param name as in the result
 * @param type DuckDB's name of its type, such as {@code BIGINT}
 */
public record Column(String name, String type) {
  private static final int MAX_TYPE_BYTES = 256;

  /** The type, shortened: that of a struct names all its fields. */
  String shownType() {
    return Cells.shortened(type, MAX_TYPE_BYTES);
  }
}
