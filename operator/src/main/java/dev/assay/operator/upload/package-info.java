/** Uploads on their way: whoever has the bytes meets the Pod that waits for them. */
@NullMarked
package dev.assay.operator.upload;

import org.jspecify.annotations.NullMarked;
