/** Calls of runs, each sent at most once. */
@NullMarked
package dev.assay.gateway.call;

import org.jspecify.annotations.NullMarked;
