/** Runs JavaScript and TypeScript in V8: no object of Java is ever visible to a script. */
@NullMarked
package dev.assay.jvm.javascript;

import org.jspecify.annotations.NullMarked;
