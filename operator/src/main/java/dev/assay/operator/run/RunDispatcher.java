package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.run.RunExecution.Request;
import dev.assay.operator.run.RunExecution.Services;
import dev.assay.operator.runner.PodView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that are being executed right now, each on a virtual thread. At most one execution of a
 * run exists in this process, and the leader is the only process that has any.
 */
final class RunDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(RunDispatcher.class);

  /** Between an execution that was interrupted and the next. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final Services services;
  private final Executor afterPause;
  private final Map<String, RunExecution> executions = new ConcurrentHashMap<>();

  RunDispatcher(Services services) {
    this(
        services,
        CompletableFuture.delayedExecutor(
            PAUSE.toMillis(), TimeUnit.MILLISECONDS, services.threads()));
  }

  RunDispatcher(Services services, Executor afterPause) {
    this.services = services;
    this.afterPause = afterPause;
  }

  /** The execution of a run, if there is one. */
  Optional<RunExecution> find(AnalyticsRun run) {
    return Optional.ofNullable(executions.get(run.getMetadata().getUid()));
  }

  /**
   * Executes a run unless it is being executed.
   *
   * @param interrupted called where the execution ended without having ended the run
   */
  void execute(Request request, PodView podView, Runnable interrupted) {
    String uid = request.run().getMetadata().getUid();
    RunExecution execution = new RunExecution(services, request, podView);
    if (executions.putIfAbsent(uid, execution) == null) {
      services.threads().execute(() -> runToEnd(uid, execution, interrupted));
    }
  }

  /** To be called when the run's final status has been seen, or the run is gone. */
  void forget(String runUid) {
    executions.remove(runUid);
  }

  private void runToEnd(String uid, RunExecution execution, Runnable interrupted) {
    try {
      if (execution.run()) {
        if (execution.runIsGone()) {
          executions.remove(uid);
        }
        return;
      }
      LOG.info("Run {} has changed while its Pod came up", uid);
    } catch (InterruptedException e) {
      // The operator stops; the next one resumes from the status.
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException e) {
      // Most likely a passing failure of the API server: the reconciler takes the run up again.
      LOG.warn("The execution of run {} was interrupted: {}", uid, e.toString());
    }
    afterPause.execute(
        () -> {
          executions.remove(uid);
          interrupted.run();
        });
  }
}
