/** Text for people. */
@NullMarked
package dev.assay.cli.text;

import org.jspecify.annotations.NullMarked;
