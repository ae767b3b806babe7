/** What is shown to a person. */
@NullMarked
package dev.assay.cli.text;

import org.jspecify.annotations.NullMarked;
