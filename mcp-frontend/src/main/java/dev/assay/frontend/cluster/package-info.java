/** The Kubernetes side: informers and writes. Nothing here decides what a caller is told. */
@NullMarked
package dev.assay.frontend.cluster;

import org.jspecify.annotations.NullMarked;
