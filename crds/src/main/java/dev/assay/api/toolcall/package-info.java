/** Calls of tools, in the words that operator, tool gateway and code share. */
@NullMarked
package dev.assay.api.toolcall;

import org.jspecify.annotations.NullMarked;
