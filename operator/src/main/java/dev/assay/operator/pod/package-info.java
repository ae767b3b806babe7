/** Pods and NetworkPolicies as pure functions of what is wanted. */
@NullMarked
package dev.assay.operator.pod;

import org.jspecify.annotations.NullMarked;
