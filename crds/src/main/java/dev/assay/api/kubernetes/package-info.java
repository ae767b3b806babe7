/**
 * What all programs share in talking to Kubernetes: the HTTP client of the Kubernetes client, with
 * limited requests and watches that are pinged, namespaces that may not be watched yet, and Events.
 */
@NullMarked
package dev.assay.api.kubernetes;

import org.jspecify.annotations.NullMarked;
