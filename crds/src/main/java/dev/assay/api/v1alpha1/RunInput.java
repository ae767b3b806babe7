package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/**
 * What a run reads of an earlier run: one artifact as a file, or all frames that the earlier run
 * kept, under their names.
 *
 * @param run the earlier run, of the same namespace, which has ended
 * @param artifact the path of one of its {@code status.artifacts}; all kept frames when absent
 * @param path where the file is, relative to the working directory; the artifact's own path when
 *     absent
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "!has(self.path) || has(self.artifact)",
    message = "path requires artifact: kept frames are bound under their names")
@ValidationRule(value = "!has(self.path) || " + FilePath.RULE, message = FilePath.MESSAGE)
public record RunInput(
    @Required @Pattern(Bounds.SUBDOMAIN_PATTERN) @Size(min = 1, max = Bounds.MAX_SUBDOMAIN)
        String run,
    @Size(min = 1, max = Bounds.MAX_PATH_BYTES) @Nullable String artifact,
    @Pattern(FilePath.PATTERN) @Size(min = 1, max = Bounds.MAX_PATH_BYTES) @Nullable String path) {}
