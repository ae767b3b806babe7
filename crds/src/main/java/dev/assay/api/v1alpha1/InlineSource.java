package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A small table in the object itself.
 *
 * @param text the table as CSV or as a JSON array of records; at most {@value
 *     Bounds#MAX_INLINE_BYTES} bytes of UTF-8. It is text because the API server would reorder the
 *     members of records and so lose the order of columns
 */
@ValidationRule(
    value = "size(bytes(self.text)) <= " + Bounds.MAX_INLINE_BYTES,
    message =
        "text is longer than "
            + Bounds.MAX_INLINE_BYTES
            + " bytes of UTF-8: put the file on a volume")
public record InlineSource(@Required @Size(max = Bounds.MAX_INLINE_BYTES) String text) {}
