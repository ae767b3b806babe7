/** What callers pass, each value checked when it is asked for. */
@NullMarked
package dev.assay.frontend.argument;

import org.jspecify.annotations.NullMarked;
