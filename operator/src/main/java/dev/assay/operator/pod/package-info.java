/** Pods and NetworkPolicies as pure functions of a request. */
@NullMarked
package dev.assay.operator.pod;

import org.jspecify.annotations.NullMarked;
