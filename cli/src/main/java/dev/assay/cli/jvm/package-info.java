/** The worker for SQL, as Pods of local mode start it. */
@NullMarked
package dev.assay.cli.jvm;

import org.jspecify.annotations.NullMarked;
