/** The MCP endpoint of Assay: a call becomes an AnalyticsRun, its end becomes the reply. */
@NullMarked
package dev.assay.frontend;

import org.jspecify.annotations.NullMarked;
