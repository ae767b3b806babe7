/** Definitions of tools: their names, digests, permissions and texts; pure. */
@NullMarked
package dev.assay.gateway.definition;

import org.jspecify.annotations.NullMarked;
