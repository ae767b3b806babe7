package dev.assay.operator.pod;

import java.util.Map;

/** The labels by which the operator knows its own Pods, and NetworkPolicies select them. */
public final class Labels {
  /** On every runner Pod from its creation; the deny-all NetworkPolicy selects it. */
  public static final String RUNNER_POD = "assay.dev/runner-pod";

  /** UID of the run that the Pod was made for. */
  public static final String RUN_UID = "assay.dev/run-uid";

  /** UID of the dataset that the Pod makes a snapshot of. */
  public static final String DATASET_UID = "assay.dev/dataset-uid";

  /** On a Pod that removes snapshots that are not in use. */
  public static final String SNAPSHOT_CLEANUP = "assay.dev/snapshot-cleanup";

  public static final String RUN_CLASS = "assay.dev/run-class";

  /** Set on everything that the operator makes. */
  public static final Map<String, String> MANAGED =
      Map.of(
          "app.kubernetes.io/name", "assay",
          "app.kubernetes.io/component", "runner",
          "app.kubernetes.io/managed-by", "assay-operator");

  private Labels() {}
}
