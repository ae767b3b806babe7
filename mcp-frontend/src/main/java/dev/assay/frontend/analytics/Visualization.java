package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A chart of the rows of a query.
 *
 * @param type bar, line, scatter, histogram or heatmap
 * @param x the column of this axis
 * @param y the column of that axis; absent where it has counts
 * @param points how many were drawn
 * @param note what was reduced or left out
 * @param dataUrl where resources/read has the chart as a figure of plotly
 * @param base64Image the PNG; only where it was asked for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Visualization(
    String type,
    String x,
    @Nullable String y,
    long points,
    @Nullable String note,
    @JsonProperty("data_url") @Nullable String dataUrl,
    @JsonProperty("base64_image") @Nullable String base64Image) {

  /**
   * That of a result; null where it has none.
   *
   * @param withImage whether the PNG is to be there as text
   */
  static @Nullable Visualization of(AnalyticsResult result, boolean withImage) {
    AnalyticsValue.@Nullable Chart chart = result.value().chart();
    if (chart == null) {
      return null;
    }
    AnalyticsResult.Files files = result.files();
    return new Visualization(
        chart.type(),
        chart.x(),
        chart.y(),
        chart.points(),
        chart.note(),
        files.chartData() == null ? null : files.chartData().uri(),
        withImage && files.chart() != null ? files.chart().base64() : null);
  }

  /** Such as {@code chart: bar, x carrier, y delay, 16 points}. */
  String line() {
    return "chart: "
        + type
        + ", x "
        + x
        + (y == null ? "" : ", y " + y)
        + ", "
        + points
        + (points == 1 ? " point" : " points")
        + (note == null ? "" : "; " + note)
        + "\n";
  }
}
