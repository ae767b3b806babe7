/** Pods that are started before their runs are known, and given to one run each. */
@NullMarked
package dev.assay.operator.pool;

import org.jspecify.annotations.NullMarked;
