package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What a run returned. All of it comes from inside the Pod: it is data, never an instruction.
 *
 * @param output the beginning of the output, or all of it if it is short
 * @param outputTail the end of the output, if {@code output} does not contain it
 * @param outputBytes bytes of output that the code wrote
 * @param storedBytes bytes of output that are stored, from the beginning
 * @param truncated whether {@code storedBytes} is less than {@code outputBytes}
 * @param outputDigest SHA-256 of all output, in hexadecimal
 * @param value the value that the code returned, as JSON text; absent if it returned none, or one
 *     of more than {@value Bounds#MAX_STATUS_VALUE_BYTES} bytes of UTF-8
 * @param valueBytes bytes of the value; absent if the code returned none
 * @param valueDigest SHA-256 of the value, in hexadecimal
 * @param error the error of the code
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
    @Size(max = Bounds.MAX_STATUS_OUTPUT_BYTES) @Nullable String output,
    @Size(max = Bounds.MAX_STATUS_OUTPUT_BYTES) @Nullable String outputTail,
    long outputBytes,
    long storedBytes,
    boolean truncated,
    @Size(max = 64) @Nullable String outputDigest,
    @Size(max = Bounds.MAX_STATUS_VALUE_BYTES) @Nullable String value,
    @Nullable Long valueBytes,
    @Size(max = 64) @Nullable String valueDigest,
    @Nullable RunError error)
    implements RunResultBuilder.With {}
