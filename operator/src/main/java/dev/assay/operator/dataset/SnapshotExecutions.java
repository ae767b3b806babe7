package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.runner.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The executions of snapshots in progress, each on a virtual thread. This process has at most one
 * execution of an attempt, and only the leader has any.
 */
final class SnapshotExecutions {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExecutions.class);

  private final DatasetResources resources;
  private final Function<PodView, SnapshotExecution> inPod;
  private final SnapshotLoading loading;
  private final RunnerPods pods;
  private final ExecutorService threads;
  private final Executor afterPause;
  private final Map<String, SnapshotExecution> executions = new ConcurrentHashMap<>();

  /**
   * None yet.
   *
   * @param inPod what executes a snapshot in a Pod
   * @param afterPause runs what is to happen some time after an execution was interrupted
   */
  SnapshotExecutions(
      DatasetResources resources,
      Function<PodView, SnapshotExecution> inPod,
      SnapshotLoading loading,
      RunnerPods pods,
      ExecutorService threads,
      Executor afterPause) {
    this.resources = resources;
    this.inPod = inPod;
    this.loading = loading;
    this.pods = pods;
    this.threads = threads;
    this.afterPause = afterPause;
  }

  /** The execution of an attempt, if there is one. */
  Optional<SnapshotExecution> find(SnapshotIdentity identity) {
    return Optional.ofNullable(executions.get(identity.id()));
  }

  /** The number of remembered executions. */
  int size() {
    return executions.size();
  }

  /** Must be called when the dataset is settled. */
  void forget(SnapshotIdentity identity) {
    executions.keySet().removeIf(id -> id.startsWith(identity.datasetUid()));
  }

  /** Executes an attempt in its Pod, unless it is being executed. */
  void execute(Dataset dataset, SnapshotIdentity identity, Pod pod, RunClass runClass) {
    PodView view =
        new PodView(() -> resources.pod(dataset, identity.podName()), pod.getMetadata().getUid());
    SnapshotExecution execution = inPod.apply(view);
    if (executions.putIfAbsent(identity.id(), execution) == null) {
      threads.execute(() -> executeToEnd(execution, dataset, identity, pod, runClass));
    }
  }

  private void executeToEnd(
      SnapshotExecution execution,
      Dataset dataset,
      SnapshotIdentity identity,
      Pod pod,
      RunClass runClass) {
    try {
      switch (loading.load(execution, dataset, identity, pod, runClass)) {
        case DELETED -> {
          // It will not be needed again.
          executions.remove(identity.id());
          pods.delete(pod);
        }
        case WRITTEN -> pods.delete(pod);
        // The next reconcile decides.
        case NOT_BEGUN -> interrupted(dataset, identity);
      }
    } catch (InterruptedException e) {
      // The operator is shutting down; the next one reads the Pod's result again.
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // A request that fails because the operator shuts down is expected.
      Level level = Thread.currentThread().isInterrupted() ? Level.DEBUG : Level.WARN;
      LOG.atLevel(level)
          .log("Loading snapshot {} failed and will be resumed: {}", identity.id(), e.toString());
      interrupted(dataset, identity);
    }
  }

  private void interrupted(Dataset dataset, SnapshotIdentity identity) {
    afterPause.execute(
        () -> {
          executions.remove(identity.id());
          resources.reconcileAgain(dataset);
        });
  }
}
