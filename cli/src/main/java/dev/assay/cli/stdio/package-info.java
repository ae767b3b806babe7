/** Offers MCP servers that speak on standard input and output by streamable HTTP. */
@NullMarked
package dev.assay.cli.stdio;

import org.jspecify.annotations.NullMarked;
