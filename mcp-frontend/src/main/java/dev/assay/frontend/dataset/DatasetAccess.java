package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.SharedAccess;

/** Whose datasets are: all callers of a namespace read them, and who has loaded one changes it. */
public final class DatasetAccess {
  private DatasetAccess() {}

  /** Whether a caller may replace or delete a dataset of their namespace. */
  public static boolean mayChange(Dataset dataset, Identity caller) {
    return caller.caller().equals(dataset.getSpec().caller())
        || caller.shared() == SharedAccess.ALL;
  }

  /** Why a caller may not. */
  public static String refusal(Dataset dataset) {
    return "Dataset '"
        + DatasetText.nameOf(dataset)
        + (dataset.getSpec().caller() == null
            ? "' was loaded by no caller of this endpoint, and only the platform team can replace or"
                + " delete it"
            : "' was loaded by another caller, and only they can replace or delete it")
        + "; load yours under another name";
  }
}
