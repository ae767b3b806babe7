package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClass;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.Set;

/** What the pools know of the cluster: informer caches, which may be stale. */
public interface PoolResources {
  /** All cached run Pods of all run namespaces, idle ones included. */
  Collection<Pod> pods();

  /**
   * The UIDs of those of these Pods that runs are bound to. Those of ended runs are included: their
   * Pods are cleaned up with them.
   *
   * @param warmPods warm ones
   */
  Set<String> bound(Collection<Pod> warmPods);

  /** All cached classes. */
  Collection<RunClass> runClasses();

  /** Adds a created Pod, which the cache may not have yet. */
  void podCreated(Pod pod);
}
