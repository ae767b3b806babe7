/**
 * One run in its Pod: claims, stages, binds, starts and follows it, and leaves it. May use {@code
 * machine}, {@code results}, {@code cluster}, {@code admission} and {@code status}.
 */
@NullMarked
package dev.assay.operator.run.execution;

import org.jspecify.annotations.NullMarked;
