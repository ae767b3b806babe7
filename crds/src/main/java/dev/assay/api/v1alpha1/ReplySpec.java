package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The value that a caller wants.
 *
 * @param rows how many rows of a table it contains, unless they are too long; more may be stored
 * @param chart that its rows are drawn, too
 * @param timeZone in which SQL counts days and shows times that have a zone: a name of the IANA
 *     database; that of the columns of the datasets when absent, and UTC where they have none or
 *     several
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReplySpec(
    @Default("" + Bounds.DEFAULT_REPLY_ROWS) @Min(1) @Max(Bounds.MAX_REPLY_ROWS) int rows,
    @Nullable ChartSpec chart,
    @Pattern(TIME_ZONE_PATTERN) @Size(min = 1, max = Bounds.MAX_TIME_ZONE)
        @Nullable String timeZone)
    implements ReplySpecBuilder.With {

  private static final String TIME_ZONE_PATTERN = "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$";

  /** A value with a number of rows and no chart. */
  public static ReplySpec ofRows(int rows) {
    return new ReplySpec(rows, null, null);
  }
}
