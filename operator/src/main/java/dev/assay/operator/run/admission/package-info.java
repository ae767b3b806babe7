/**
 * Decides whether a run is refused, waits or is admitted, and within which limits. Pure; may use
 * {@code status}.
 */
@NullMarked
package dev.assay.operator.run.admission;

import org.jspecify.annotations.NullMarked;
