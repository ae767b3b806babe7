/** What the programs share of logs: the form of lines, and what a line is about. */
@NullMarked
package dev.assay.api.logging;

import org.jspecify.annotations.NullMarked;
