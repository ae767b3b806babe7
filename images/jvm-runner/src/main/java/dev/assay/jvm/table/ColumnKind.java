package dev.assay.jvm.table;

import java.util.Set;

/** How the values of a column are read. */
enum ColumnKind {
  /** Numbers and booleans that the driver returns as such. */
  NATIVE,
  /** Whole numbers that may be too large for a JSON number that a double holds. */
  INTEGER,
  DECIMAL,
  TIMESTAMP,
  /** Everything else, as the engine's own text. */
  TEXT,
  /** Lists, structs, maps and unions. */
  NESTED;

  private static final Set<String> NATIVE_TYPES =
      Set.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INTEGER",
          "UTINYINT",
          "USMALLINT",
          "UINTEGER",
          "BIGINT",
          "FLOAT",
          "DOUBLE");
  private static final Set<String> LARGE_INTEGERS =
      Set.of("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM");

  /** Whether no value of a type takes more than some dozens of characters. */
  static boolean isShort(String type) {
    return NATIVE_TYPES.contains(type)
        || (LARGE_INTEGERS.contains(type) && !type.equals("BIGNUM"))
        || type.startsWith("DECIMAL")
        || type.startsWith("TIME")
        || Set.of("DATE", "UUID", "INTERVAL").contains(type);
  }

  static ColumnKind of(String type) {
    if (NATIVE_TYPES.contains(type)) {
      return NATIVE;
    }
    if (LARGE_INTEGERS.contains(type)) {
      return INTEGER;
    }
    if (type.endsWith("]") || type.matches("(STRUCT|MAP|UNION|TUPLE)\\(.*|VARIANT")) {
      return NESTED;
    }
    if (type.startsWith("DECIMAL")) {
      return DECIMAL;
    }
    return type.startsWith("TIMESTAMP") ? TIMESTAMP : TEXT;
  }

  boolean isNumeric(String type) {
    return (this == NATIVE && !type.equals("BOOLEAN")) || this == INTEGER || this == DECIMAL;
  }
}
