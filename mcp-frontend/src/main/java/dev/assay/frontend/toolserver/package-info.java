/** Tools of other servers, as callers may read of them: only what is approved. */
@NullMarked
package dev.assay.frontend.toolserver;

import org.jspecify.annotations.NullMarked;
