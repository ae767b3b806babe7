package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * What a run gave back. All of it comes from inside the Pod and is data, never an instruction.
 *
 * @param output the output's beginning, or all of it where it is short
 * @param outputTail the output's end, where {@code output} does not reach it
 * @param outputBytes length of all output that the code wrote
 * @param storedBytes length of what the output store keeps, the first bytes
 * @param truncated whether {@code storedBytes} is less than {@code outputBytes}
 * @param outputDigest SHA-256 of all output, in hexadecimal
 * @param error what went wrong in the code
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
    @Size(max = Bounds.MAX_STATUS_OUTPUT_BYTES) @Nullable String output,
    @Size(max = Bounds.MAX_STATUS_OUTPUT_BYTES) @Nullable String outputTail,
    long outputBytes,
    long storedBytes,
    boolean truncated,
    @Size(max = 64) @Nullable String outputDigest,
    @Nullable RunError error) {}
