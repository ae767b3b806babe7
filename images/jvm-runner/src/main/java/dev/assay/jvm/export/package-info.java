/** The built-in query that writes a stored result in other formats. */
@NullMarked
package dev.assay.jvm.export;

import org.jspecify.annotations.NullMarked;
