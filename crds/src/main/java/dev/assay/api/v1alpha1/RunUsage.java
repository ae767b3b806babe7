package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What a run used, as its runner measured it.
 *
 * @param cpuSeconds CPU time of the code, in seconds, such as 1.25
 * @param peakMemoryBytes peak memory of the worker process
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@RecordBuilder
public record RunUsage(@Size(max = 32) @Nullable String cpuSeconds, @Nullable Long peakMemoryBytes)
    implements RunUsageBuilder.With {}
