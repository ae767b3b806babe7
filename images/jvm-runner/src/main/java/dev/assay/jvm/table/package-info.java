/** Rows as the JSON of a value, within its limits. */
@NullMarked
package dev.assay.jvm.table;

import org.jspecify.annotations.NullMarked;
