/**
 * Queries over datasets: their files, what comes back from their Pods, how a reply shows it, and
 * results that are used again. Knows nothing of tools and of REST.
 */
@NullMarked
package dev.assay.frontend.analytics;

import org.jspecify.annotations.NullMarked;
