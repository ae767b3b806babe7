/** All of Assay in one process of this machine. */
@NullMarked
package dev.assay.cli.local;

import org.jspecify.annotations.NullMarked;
