/** What {@code execute_custom_analytics_code} returns as structured content. */
@NullMarked
package dev.assay.frontend.execution;

import org.jspecify.annotations.NullMarked;
