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
        + "' belongs to "
        + (dataset.getSpec().caller() == null ? "no caller" : "another caller")
        + "; only its caller, or a key with shared: all, can replace or delete it";
  }
}
