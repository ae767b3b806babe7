/** The workers for SQL and scripts, as Pods of local mode start them. */
@NullMarked
package dev.assay.cli.jvm;

import org.jspecify.annotations.NullMarked;
