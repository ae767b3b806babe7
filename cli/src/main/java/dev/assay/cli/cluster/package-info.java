/** What the Kubernetes API shows of an installation. */
@NullMarked
package dev.assay.cli.cluster;

import org.jspecify.annotations.NullMarked;
