/**
 * Gets a run its Pod, a warm one or one of its own, and has it executed there; resumes it after a
 * restart. May use {@code execution}, {@code queue} and what those use.
 */
@NullMarked
package dev.assay.operator.run.placement;

import org.jspecify.annotations.NullMarked;
