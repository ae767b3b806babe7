/**
 * The queues in which runs wait for a slot of their class, for a node, or for room in a quota. May
 * use {@code status} and {@code cluster}.
 */
@NullMarked
package dev.assay.operator.run.queue;

import org.jspecify.annotations.NullMarked;
