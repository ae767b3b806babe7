package dev.assay.operator.pod;

import java.util.Map;

/** The labels with which the operator and NetworkPolicies select its Pods. */
public final class Labels {
  /** On every runner Pod from its creation; selected by the deny-all NetworkPolicy. */
  public static final String RUNNER_POD = "assay.dev/runner-pod";

  /** UID of the run that the Pod belongs to; a warm Pod gets it once it is bound. */
  public static final String RUN_UID = "assay.dev/run-uid";

  /** On a Pod that was started before its run was known; the value is the hash of its template. */
  public static final String WARM_POOL = "assay.dev/warm-pool";

  /** UID of the dataset that the Pod creates a snapshot of. */
  public static final String DATASET_UID = "assay.dev/dataset-uid";

  /** On a Pod that removes unused snapshots. */
  public static final String SNAPSHOT_CLEANUP = "assay.dev/snapshot-cleanup";

  public static final String RUN_CLASS = "assay.dev/run-class";

  /** On everything that the operator creates. */
  public static final Map<String, String> MANAGED =
      Map.of(
          "app.kubernetes.io/name", "assay",
          "app.kubernetes.io/component", "runner",
          "app.kubernetes.io/managed-by", "assay-operator");

  private Labels() {}
}
