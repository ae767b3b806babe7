/** Returns some rows of a table. */
@NullMarked
package dev.assay.jvm.sample;

import org.jspecify.annotations.NullMarked;
