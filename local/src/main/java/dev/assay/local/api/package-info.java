/** A small in-memory Kubernetes API server, for a laptop and for fast tests. */
@NullMarked
package dev.assay.local.api;

import org.jspecify.annotations.NullMarked;
