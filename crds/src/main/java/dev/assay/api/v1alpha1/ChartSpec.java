package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * A chart of the rows of a value.
 *
 * @param type the kind of chart; chosen from the columns when absent
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ChartSpec(@Nullable ChartType type) {}
