/** What the server asks of whoever runs Pods. */
@NullMarked
package dev.assay.local.api.kubelet;

import org.jspecify.annotations.NullMarked;
