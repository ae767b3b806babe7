/** What the gateway reads of the Kubernetes API: ToolServers, and Secrets of one namespace. */
@NullMarked
package dev.assay.gateway.cluster;

import org.jspecify.annotations.NullMarked;
