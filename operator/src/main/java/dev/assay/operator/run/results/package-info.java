/**
 * What a run leaves: its output, value and artifacts, from its Pod into the store. Knows nothing of
 * how a run is bound to its Pod; may use {@code status} and {@code admission}.
 */
@NullMarked
package dev.assay.operator.run.results;

import org.jspecify.annotations.NullMarked;
