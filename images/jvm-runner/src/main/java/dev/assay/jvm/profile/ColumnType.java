package dev.assay.jvm.profile;

import dev.assay.jvm.builtin.Arguments;

/** What a column holds, in the words of a profile. */
enum ColumnType {
  INT64,
  FLOAT64,
  STRING,
  BOOL,
  DATETIME,
  CATEGORY;

  String text() {
    return Arguments.nameOf(this);
  }
}
