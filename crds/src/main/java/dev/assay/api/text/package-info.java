/** Texts of others, as all parts of Assay show them. */
@NullMarked
package dev.assay.api.text;

import org.jspecify.annotations.NullMarked;
