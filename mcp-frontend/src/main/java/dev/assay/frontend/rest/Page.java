package dev.assay.frontend.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of many.
 *
 * @param next what the next page is asked for with; null on the last one
 * @param <T> what they are
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Page<T>(List<T> items, @JsonProperty("continue") @Nullable String next) {}
