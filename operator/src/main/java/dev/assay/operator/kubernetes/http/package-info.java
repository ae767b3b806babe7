/** How the Kubernetes client speaks HTTP: bounded requests, and watches that are known to live. */
@NullMarked
package dev.assay.operator.kubernetes.http;

import org.jspecify.annotations.NullMarked;
