/** Scripts in JavaScript and TypeScript, for tools and REST: from a call to its result. */
@NullMarked
package dev.assay.frontend.script;

import org.jspecify.annotations.NullMarked;
