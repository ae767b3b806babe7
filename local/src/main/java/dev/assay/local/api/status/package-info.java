/** Errors as the Kubernetes API answers them. */
@NullMarked
package dev.assay.local.api.status;

import org.jspecify.annotations.NullMarked;
