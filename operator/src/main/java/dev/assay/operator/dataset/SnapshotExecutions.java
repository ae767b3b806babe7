package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
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
  private final WholeObjects wholes;
  private final SigningKeys keys;
  private final RunnerClient runners;
  private final RunnerPods pods;
  private final Uploads uploads;
  private final DatasetStatusWriter statuses;
  private final SnapshotAttempts attempts;
  private final SnapshotOutcomes outcomes;
  private final ExecutorService threads;
  private final Executor afterPause;
  private final Clock clock;
  private final Map<String, SnapshotExecution> executions = new ConcurrentHashMap<>();

  SnapshotExecutions(
      DatasetResources resources,
      WholeObjects wholes,
      SigningKeys keys,
      RunnerClient runners,
      RunnerPods pods,
      Uploads uploads,
      DatasetStatusWriter statuses,
      SnapshotAttempts attempts,
      ExecutorService threads,
      Executor afterPause,
      Clock clock) {
    this.resources = resources;
    this.wholes = wholes;
    this.keys = keys;
    this.runners = runners;
    this.pods = pods;
    this.uploads = uploads;
    this.statuses = statuses;
    this.attempts = attempts;
    this.outcomes = new SnapshotOutcomes(statuses, attempts);
    this.threads = threads;
    this.afterPause = afterPause;
    this.clock = clock;
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
    SnapshotExecution execution = new SnapshotExecution(runners, keys, uploads, view, clock);
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
      Optional<Dataset> whole =
          wholes.read(dataset).filter(found -> SnapshotIdentity.of(found).equals(identity));
      if (whole.isEmpty()) {
        // The dataset was replaced or deleted: the next reconcile decides.
        interrupted(dataset, identity);
        return;
      }
      SnapshotExecution.Outcome outcome =
          execution.execute(
              whole.get(), pod, runClass.getSpec(), identity, progressOf(dataset, identity));
      if (!outcomes.apply(dataset, identity, runClass, outcome)) {
        // It will not be needed again.
        executions.remove(identity.id());
        attempts.forget(identity);
      }
      pods.delete(pod);
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

  private SnapshotExecution.Progress progressOf(Dataset dataset, SnapshotIdentity identity) {
    UploadSource upload = dataset.getSpec().source().upload();
    long bytes = upload == null ? 0 : upload.bytes();
    return new SnapshotExecution.Progress() {
      @Override
      public void uploading() {
        statuses.uploading(dataset, identity, bytes);
      }

      @Override
      public void uploaded() {
        statuses.loading(dataset, identity, "Reading the source");
      }
    };
  }

  private void interrupted(Dataset dataset, SnapshotIdentity identity) {
    afterPause.execute(
        () -> {
          executions.remove(identity.id());
          resources.reconcileAgain(dataset);
        });
  }
}
