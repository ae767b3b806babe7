/** Sessions of MCP with tool servers. */
@NullMarked
package dev.assay.gateway.upstream;

import org.jspecify.annotations.NullMarked;
