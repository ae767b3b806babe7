/** Where the output of runs is kept. */
@NullMarked
package dev.assay.operator.output;

import org.jspecify.annotations.NullMarked;
