/**
 * MCP servers that scenarios declare as tool servers. They run on this machine, outside of Assay,
 * and know nothing of it.
 */
@NullMarked
package dev.assay.e2e.upstream;

import org.jspecify.annotations.NullMarked;
