/**
 * The files that runs leave: their addresses, their bytes, and the parts of a reply they become.
 */
@NullMarked
package dev.assay.frontend.artifact;

import org.jspecify.annotations.NullMarked;
