/** DuckDB as a run has it: its settings, its limits and a view for each dataset. */
@NullMarked
package dev.assay.jvm.engine;

import org.jspecify.annotations.NullMarked;
