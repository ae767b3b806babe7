/** The HTTP client of the Kubernetes client: limited requests, and watches that are pinged. */
@NullMarked
package dev.assay.api.kubernetes;

import org.jspecify.annotations.NullMarked;
