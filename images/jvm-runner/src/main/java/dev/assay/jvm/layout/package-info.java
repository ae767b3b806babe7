/** The directory that the worker is started from: its jar, the engine's library, a start script. */
@NullMarked
package dev.assay.jvm.layout;

import org.jspecify.annotations.NullMarked;
