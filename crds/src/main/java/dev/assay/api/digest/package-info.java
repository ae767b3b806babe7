/** Digests, as all parts of Assay write them. */
@NullMarked
package dev.assay.api.digest;

import org.jspecify.annotations.NullMarked;
