package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A file on a declared volume, or a folder of Parquet files.
 *
 * @param name the volume's name in the operator's configuration for this namespace
 * @param path relative to the volume's root; no {@code ..}, and no symbolic link on the way. Of the
 *     format parquet it may name a folder, or contain {@code *} and {@code **}
 */
@ValidationRule(
    value =
        "!self.path.startsWith('/') && self.path.split('/').all(p, p != '..' && p != '.' && p != '')",
    message = "path must be relative, without '.', '..' and empty parts")
public record VolumeSource(
    @Required @Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String name,
    @Required @Size(min = 1, max = 1024) String path) {}
