/** One call: who made it, how it is told of progress, and how it is stopped. */
@NullMarked
package dev.assay.frontend.call;

import org.jspecify.annotations.NullMarked;
