/** Keeps the CRDs of a cluster current: what the Job of the chart runs at an upgrade. */
@NullMarked
package dev.assay.operator.crds;

import org.jspecify.annotations.NullMarked;
