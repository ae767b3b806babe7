/** The Model Context Protocol over stateless streamable HTTP. */
@NullMarked
package dev.assay.frontend.mcp;

import org.jspecify.annotations.NullMarked;
