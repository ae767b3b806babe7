package dev.assay.operator.kubernetes;

/** What is known of the cluster's nodes. */
@FunctionalInterface
public interface Nodes {
  /** Nothing is known of any. */
  Nodes UNKNOWN = name -> false;

  /** Whether a node is known to accept no new Pods. */
  boolean isCordoned(String name);
}
