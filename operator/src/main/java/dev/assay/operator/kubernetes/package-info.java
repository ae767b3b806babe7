/** Access to the Kubernetes API. */
@NullMarked
package dev.assay.operator.kubernetes;

import org.jspecify.annotations.NullMarked;
