package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import java.util.List;

/**
 * Datasets without their columns.
 *
 * @param omitted how many more there are
 */
public record DatasetList(List<DatasetDocument> datasets, int omitted) {
  /** As many of them as a reply shows. */
  public static DatasetList of(List<Dataset> all) {
    List<DatasetDocument> shown =
        all.stream()
            .limit(DatasetText.MAX_DATASETS)
            .map(DatasetDocument::of)
            .map(DatasetDocument::withoutColumns)
            .toList();
    return new DatasetList(shown, all.size() - shown.size());
  }
}
