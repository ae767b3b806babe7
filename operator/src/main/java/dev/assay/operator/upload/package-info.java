/** Uploads in progress: connects the sender of the bytes with the Pod that waits for them. */
@NullMarked
package dev.assay.operator.upload;

import org.jspecify.annotations.NullMarked;
