package dev.assay.jvm.profile;

import java.util.Map;

/** How the engine stores a column. */
enum StorageType {
  INTEGER,
  /** Integers whose sums may be too large for the engine. */
  WIDE_INTEGER,
  FLOATING,
  DECIMAL,
  BOOLEAN,
  TIME,
  TEXT,
  ENUM,
  /** Bytes, lists, structs, maps, and whatever else has no order that means something. */
  OTHER;

  private static final Map<String, StorageType> BY_NAME =
      Map.ofEntries(
          Map.entry("BOOLEAN", BOOLEAN),
          Map.entry("TINYINT", INTEGER),
          Map.entry("SMALLINT", INTEGER),
          Map.entry("INTEGER", INTEGER),
          Map.entry("BIGINT", INTEGER),
          Map.entry("UTINYINT", INTEGER),
          Map.entry("USMALLINT", INTEGER),
          Map.entry("UINTEGER", INTEGER),
          Map.entry("UBIGINT", WIDE_INTEGER),
          Map.entry("HUGEINT", WIDE_INTEGER),
          Map.entry("UHUGEINT", WIDE_INTEGER),
          Map.entry("BIGNUM", WIDE_INTEGER),
          Map.entry("FLOAT", FLOATING),
          Map.entry("DOUBLE", FLOATING),
          Map.entry("DATE", TIME),
          Map.entry("VARCHAR", TEXT));

  private static final Map<String, Integer> BYTES =
      Map.of(
          "BOOLEAN", 1,
          "TINYINT", 1,
          "UTINYINT", 1,
          "SMALLINT", 2,
          "USMALLINT", 2,
          "INTEGER", 4,
          "UINTEGER", 4,
          "FLOAT", 4,
          "DATE", 4,
          "TIME", 8);

  private static final int DEFAULT_BYTES = 8;
  private static final int WIDE_BYTES = 16;

  /** The storage of a type by its name, such as {@code DECIMAL(18,2)}. */
  static StorageType of(String type) {
    StorageType named = BY_NAME.get(type);
    if (named != null) {
      return named;
    }
    if (type.endsWith("]")) {
      return OTHER;
    }
    if (type.startsWith("TIMESTAMP")) {
      return TIME;
    }
    if (type.startsWith("DECIMAL(")) {
      return DECIMAL;
    }
    return type.startsWith("ENUM(") ? ENUM : OTHER;
  }

  /** Bytes of one value in memory, without those of texts and nested values. */
  int bytes(String type) {
    return switch (this) {
      case WIDE_INTEGER, DECIMAL -> type.equals("UBIGINT") ? DEFAULT_BYTES : WIDE_BYTES;
      default -> BYTES.getOrDefault(type, DEFAULT_BYTES);
    };
  }

  boolean isNumeric() {
    return switch (this) {
      case INTEGER, WIDE_INTEGER, FLOATING, DECIMAL -> true;
      case BOOLEAN, TIME, TEXT, ENUM, OTHER -> false;
    };
  }

  boolean hasRange() {
    return isNumeric() || this == TIME;
  }
}
