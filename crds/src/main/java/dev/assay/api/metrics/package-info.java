/** What the programs share of metrics: their registry, the text of a scrape, and common counts. */
@NullMarked
package dev.assay.api.metrics;

import org.jspecify.annotations.NullMarked;
