/**
 * Removes what runs leave behind: Pods, output, and the runs themselves. May use {@code results},
 * {@code cluster} and {@code status}.
 */
@NullMarked
package dev.assay.operator.run.cleanup;

import org.jspecify.annotations.NullMarked;
