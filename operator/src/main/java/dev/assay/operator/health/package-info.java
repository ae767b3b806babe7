/** Whether this process makes progress, so that Kubernetes replaces one that does not. */
@NullMarked
package dev.assay.operator.health;

import org.jspecify.annotations.NullMarked;
