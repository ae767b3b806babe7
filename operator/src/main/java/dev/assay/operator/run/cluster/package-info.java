/**
 * What the run path knows of the cluster: cached runs, Pods, classes and datasets. May use {@code
 * status}.
 */
@NullMarked
package dev.assay.operator.run.cluster;

import org.jspecify.annotations.NullMarked;
