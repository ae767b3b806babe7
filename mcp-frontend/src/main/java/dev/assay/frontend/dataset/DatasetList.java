package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.token.FittedJson;
import java.util.List;

/**
 * Datasets without their columns.
 *
 * @param omitted how many more there are
 */
public record DatasetList(List<DatasetDocument> datasets, int omitted) {
  /**
   * As many of them as a reply shows.
   *
   * @param tokens about how long it may be as JSON
   */
  static DatasetList of(List<Dataset> all, int tokens) {
    List<DatasetDocument> shown =
        FittedJson.prefix(
            all.stream()
                .limit(DatasetText.MAX_DATASETS)
                .map(DatasetDocument::of)
                .map(DatasetDocument::withoutColumns)
                .toList(),
            tokens);
    return new DatasetList(shown, all.size() - shown.size());
  }
}
