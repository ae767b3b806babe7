/** The command {@code assay}. */
@NullMarked
package dev.assay.cli;

import org.jspecify.annotations.NullMarked;
