package dev.assay.operator.pool;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * Tasks for Pods, on other threads: one for each Pod, and not too many for the Pods of one
 * namespace, however many there are. Anybody who may create Pods there can make a thousand that
 * look like those of a pool.
 */
final class PodTasks {
  private final ExecutorService threads;
  private final int eachNamespace;

  /** The UIDs of the Pods whose tasks are not over, by namespace. */
  private final Map<String, Set<String>> inProgress = new HashMap<>();

  /**
   * No task yet.
   *
   * @param eachNamespace how many a namespace may have at once
   */
  PodTasks(ExecutorService threads, int eachNamespace) {
    this.threads = threads;
    this.eachNamespace = eachNamespace;
  }

  /** Starts a task, unless there is one for the Pod or too many for its namespace. */
  void start(Pod pod, Runnable task) {
    String namespace = pod.getMetadata().getNamespace();
    String uid = pod.getMetadata().getUid();
    if (!begin(namespace, uid)) {
      return;
    }
    try {
      threads.execute(
          () -> {
            try {
              task.run();
            } finally {
              end(namespace, uid);
            }
          });
    } catch (RejectedExecutionException e) {
      // The operator is shutting down.
      end(namespace, uid);
    }
  }

  private synchronized boolean begin(String namespace, String uid) {
    Set<String> pods = inProgress.computeIfAbsent(namespace, unused -> new HashSet<>());
    return pods.size() < eachNamespace && pods.add(uid);
  }

  private synchronized void end(String namespace, String uid) {
    inProgress.computeIfPresent(
        namespace, (unused, pods) -> pods.remove(uid) && pods.isEmpty() ? null : pods);
  }
}
