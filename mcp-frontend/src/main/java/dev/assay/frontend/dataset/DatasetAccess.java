package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.Ownership;

/** Whose datasets are: all callers of a namespace read them, and who has loaded one changes it. */
public final class DatasetAccess {
  private DatasetAccess() {}

  /** Whether a caller may replace or delete a dataset of their namespace. */
  public static boolean mayChange(Dataset dataset, Identity caller) {
    return Ownership.mayChange(dataset.getSpec().caller(), caller);
  }

  /** Why a caller may not. */
  public static String refusal(Dataset dataset) {
    return Ownership.refusal(
        "Dataset '" + DatasetText.nameOf(dataset) + "'",
        dataset.getSpec().caller(),
        "replace or delete");
  }
}
