/**
 * Runs containers as processes of this machine, fenced off as well as the machine can, and says how
 * well that is.
 */
@NullMarked
package dev.assay.local.isolation;

import org.jspecify.annotations.NullMarked;
