package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * Exactly one source.
 *
 * @param format how the bytes are to be read
 * @param inline the bytes themselves
 * @param volume a file on a volume that the platform declared for the namespace
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "has(self.inline) != has(self.volume)",
    message = "exactly one of inline and volume must be set")
@ValidationRule(
    value = "!(has(self.inline) && self.format == 'parquet')",
    message = "inline data is text: use csv or json, or put the Parquet file on a volume")
public record DatasetSource(
    @Required DatasetFormat format, @Nullable InlineSource inline, @Nullable VolumeSource volume) {}
