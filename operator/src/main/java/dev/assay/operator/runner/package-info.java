/** The client of the runner protocol: everything that crosses the border to a Pod. */
@NullMarked
package dev.assay.operator.runner;

import org.jspecify.annotations.NullMarked;
