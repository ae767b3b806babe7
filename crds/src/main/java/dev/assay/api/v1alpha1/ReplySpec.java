package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;

/**
 * The value that a caller wants.
 *
 * @param rows how many rows of a table it contains, unless they are too long; more may be stored
 */
public record ReplySpec(
    @Default("" + Bounds.DEFAULT_REPLY_ROWS) @Min(1) @Max(Bounds.MAX_REPLY_ROWS) int rows) {}
