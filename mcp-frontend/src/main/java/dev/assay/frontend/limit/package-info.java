/** Limits that callers and addresses share: of rates, and of what is taken at a time. */
@NullMarked
package dev.assay.frontend.limit;

import org.jspecify.annotations.NullMarked;
