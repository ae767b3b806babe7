package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A file that a run brings along.
 *
 * @param path relative to the working directory; no {@code ..}
 * @param text its content
 */
@ValidationRule(value = FilePath.RULE, message = FilePath.MESSAGE)
public record RunFile(
    @Required @Pattern(FilePath.PATTERN) @Size(min = 1, max = Bounds.MAX_PATH_BYTES) String path,
    @Required @Size(max = Bounds.MAX_FILES_BYTES) String text) {}
