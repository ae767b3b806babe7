/** The built-in queries: their arguments, and the tables that they read. */
@NullMarked
package dev.assay.jvm.builtin;

import org.jspecify.annotations.NullMarked;
