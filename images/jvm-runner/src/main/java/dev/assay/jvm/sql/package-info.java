/** Runs a query that a user wrote. */
@NullMarked
package dev.assay.jvm.sql;

import org.jspecify.annotations.NullMarked;
