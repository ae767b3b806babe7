/** The worker of run Pods that runs SQL and the built-in queries in DuckDB. */
@NullMarked
package dev.assay.jvm;

import org.jspecify.annotations.NullMarked;
