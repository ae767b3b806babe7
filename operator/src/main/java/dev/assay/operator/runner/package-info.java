/** The client of the runner protocol: all communication with a Pod. */
@NullMarked
package dev.assay.operator.runner;

import org.jspecify.annotations.NullMarked;
