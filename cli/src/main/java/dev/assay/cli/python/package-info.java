/** The Python that local mode runs code with. */
@NullMarked
package dev.assay.cli.python;

import org.jspecify.annotations.NullMarked;
