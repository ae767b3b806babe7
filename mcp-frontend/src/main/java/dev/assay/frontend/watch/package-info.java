/** Waiting for an object to change, without polling. */
@NullMarked
package dev.assay.frontend.watch;

import org.jspecify.annotations.NullMarked;
