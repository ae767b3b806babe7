/** Runs Pods as processes of this machine, as far as Assay's own Pods need it. */
@NullMarked
package dev.assay.local.kubelet;

import org.jspecify.annotations.NullMarked;
