/** Whether the network of run Pods is closed, as their NetworkPolicy demands. */
@NullMarked
package dev.assay.operator.egress;

import org.jspecify.annotations.NullMarked;
