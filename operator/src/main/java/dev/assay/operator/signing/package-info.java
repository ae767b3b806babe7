/** The operator's signing key. */
@NullMarked
package dev.assay.operator.signing;

import org.jspecify.annotations.NullMarked;
