package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to run. Immutable once created, except for {@code cancel}, which can be set and not unset.
 *
 * @param className the RunClass that defines how and where to run; when absent, the class that is
 *     the default for the language, which {@code status.className} then names
 * @param language what {@code code} is written in; the class must offer it
 * @param code source text, at most {@value Bounds#MAX_CODE_BYTES} bytes of UTF-8; may be empty
 * @param input JSON text that the code can read, at most {@value Bounds#MAX_INPUT_BYTES} bytes of
 *     UTF-8; only for languages that take input, of which python is none
 * @param datasets names of datasets in the run's namespace; the first one is {@code df}
 * @param timeoutSeconds time limit from the first instruction of the code; the class's default when
 *     absent, and never above the class's maximum
 * @param outputLimitBytes limit of stored output; the class's limit when absent, and never above it
 * @param caller who made the call, as the front end identified them
 * @param tool the MCP tool that was called
 * @param requestId the front end's id of the call
 * @param ttlSecondsAfterFinished how long the finished run is kept; the operator's default when
 *     absent
 * @param cancel set to true to stop the run, whatever its phase
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "size(bytes(self.code)) <= " + Bounds.MAX_CODE_BYTES,
    message = "code is longer than " + Bounds.MAX_CODE_BYTES + " bytes of UTF-8")
@ValidationRule(
    value = "!has(self.input) || size(bytes(self.input)) <= " + Bounds.MAX_INPUT_BYTES,
    message = "input is longer than " + Bounds.MAX_INPUT_BYTES + " bytes of UTF-8")
@ValidationRule(
    value = "!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)",
    message = "cancel cannot be unset")
@ImmutableExcept(
    value = "cancel",
    message = "spec is immutable, but for cancel: create another run instead")
public record AnalyticsRunSpec(
    @Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL)
        @Nullable String className,
    @Default("python") Language language,
    @Required @Size(max = Bounds.MAX_CODE_BYTES) String code,
    @Size(max = Bounds.MAX_INPUT_BYTES) @Nullable String input,
    @Size(max = Bounds.MAX_RUN_DATASETS)
        @Nullable List<@Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String>
            datasets,
    @Min(1) @Max(Bounds.MAX_TIMEOUT_SECONDS) @Nullable Integer timeoutSeconds,
    @Min(1024) @Max(67_108_864) @Nullable Integer outputLimitBytes,
    @Size(max = 253) @Nullable String caller,
    @Size(max = 64) @Nullable String tool,
    @Size(max = 128) @Nullable String requestId,
    @Min(0) @Max(604_800) @Nullable Integer ttlSecondsAfterFinished,
    @Nullable Boolean cancel)
    implements AnalyticsRunSpecBuilder.With {

  /** The named datasets, in order; empty where none is named. */
  public List<String> datasetNames() {
    return datasets == null ? List.of() : datasets;
  }

  /** Whether the caller asked for the run to be stopped. */
  public boolean cancelRequested() {
    return Boolean.TRUE.equals(cancel);
  }
}
