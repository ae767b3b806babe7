/** Calls of tools that the code of runs makes: policy, dispatch, records, and the tool servers. */
@NullMarked
package dev.assay.operator.tool;

import org.jspecify.annotations.NullMarked;
