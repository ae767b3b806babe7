package dev.assay.frontend.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.dataset.DatasetDocument;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.Ownership;

/**
 * A dataset, as JSON.
 *
 * @param own whether it belongs to the caller
 */
record OwnedDatasetDocument(@JsonUnwrapped DatasetDocument dataset, boolean own) {
  /** What a caller reads of a dataset of their namespace. */
  static OwnedDatasetDocument of(DatasetDocument document, Dataset dataset, Identity caller) {
    return new OwnedDatasetDocument(document, Ownership.isOwn(dataset.getSpec().caller(), caller));
  }
}
