/** The tools that agents see. */
@NullMarked
package dev.assay.frontend.tool;

import org.jspecify.annotations.NullMarked;
