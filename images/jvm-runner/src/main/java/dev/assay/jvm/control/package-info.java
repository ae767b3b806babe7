/** The worker's end of the control socket: frames, messages, and the request to stop. */
@NullMarked
package dev.assay.jvm.control;

import org.jspecify.annotations.NullMarked;
