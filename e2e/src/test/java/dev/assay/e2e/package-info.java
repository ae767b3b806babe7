/**
 * The guarantees for users of an installed Assay, as scenarios.
 *
 * <p>A scenario knows only an MCP endpoint and a Kubernetes API, so the same classes test a real
 * cluster and any stand-in.
 */
@NullMarked
package dev.assay.e2e;

import org.jspecify.annotations.NullMarked;
