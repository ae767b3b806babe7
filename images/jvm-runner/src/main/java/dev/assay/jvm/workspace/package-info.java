/** The files that a job is given, in its working directory. */
@NullMarked
package dev.assay.jvm.workspace;

import org.jspecify.annotations.NullMarked;
