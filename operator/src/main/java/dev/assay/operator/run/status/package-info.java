/**
 * What the status of a run says: its states, transitions, conditions and endings, and the writes of
 * them. Uses no other package of the run path.
 */
@NullMarked
package dev.assay.operator.run.status;

import org.jspecify.annotations.NullMarked;
