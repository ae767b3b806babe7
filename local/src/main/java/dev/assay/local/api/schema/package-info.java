/** Structural schemas of CRDs: pruning, defaults, validation and CEL rules. Pure. */
@NullMarked
package dev.assay.local.api.schema;

import org.jspecify.annotations.NullMarked;
