package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * An error of the user's code.
 *
 * @param type type of the exception
 * @param message message of the exception; empty if it has none
 * @param line line in the user's code
 * @param column column in that line, from 1; absent where only the line is known
 * @param traceback the traceback, without the runner's own frames
 * @param code machine-readable code such as {@code COLUMN_NOT_FOUND}; absent for kinds of work that
 *     have none, such as python
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunError(
    @Required @Size(max = 256) String type,
    @Required @Size(max = 4096) String message,
    @Nullable Integer line,
    @Nullable Integer column,
    @Size(max = 16_384) @Nullable String traceback,
    @Size(max = 64) @Nullable String code)
    implements RunErrorBuilder.With {}
