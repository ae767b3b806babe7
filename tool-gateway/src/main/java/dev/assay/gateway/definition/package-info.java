/** Definitions of tools: their names, digests, tiers and texts; pure. */
@NullMarked
package dev.assay.gateway.definition;

import org.jspecify.annotations.NullMarked;
