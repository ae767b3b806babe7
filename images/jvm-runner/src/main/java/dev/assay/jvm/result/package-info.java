/** The files that a result leaves, for charts, for export, and to read further rows. */
@NullMarked
package dev.assay.jvm.result;

import org.jspecify.annotations.NullMarked;
