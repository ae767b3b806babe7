/**
 * What users of an installed Assay may count on, written as scenarios.
 *
 * <p>A scenario knows an MCP endpoint and a Kubernetes API and nothing of how they came to be, so
 * the same classes serve a real cluster and any stand-in.
 */
@NullMarked
package dev.assay.e2e;

import org.jspecify.annotations.NullMarked;
