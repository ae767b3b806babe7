package dev.assay.operator.run.execution;

import dev.assay.api.logging.LogContext;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.runner.PodView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The executions in progress, each on a virtual thread. This process has at most one execution of a
 * run, and only the leader has any.
 */
public final class RunDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(RunDispatcher.class);

  /**
   * The delay between an interrupted execution and the next, unless only its Pod has failed, for
   * the first time.
   */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final ExecutionServices services;
  private final Executor afterPause;
  private final Map<String, RunExecution> executions = new ConcurrentHashMap<>();
  private final FailedClaims failedClaims = new FailedClaims();

  public RunDispatcher(ExecutionServices services) {
    this(
        services,
        CompletableFuture.delayedExecutor(
            PAUSE.toMillis(), TimeUnit.MILLISECONDS, services.threads()));
  }

  RunDispatcher(ExecutionServices services, Executor afterPause) {
    this.services = services;
    this.afterPause = afterPause;
  }

  /** The execution of a run, if there is one. */
  public Optional<RunExecution> find(AnalyticsRun run) {
    return Optional.ofNullable(executions.get(run.getMetadata().getUid()));
  }

  /**
   * Executes a run unless it is being executed.
   *
   * @param interrupted called if the execution ended without ending the run
   */
  public void execute(ExecutionRequest request, PodView podView, Runnable interrupted) {
    String uid = request.run().getMetadata().getUid();
    RunExecution execution = new RunExecution(services, request, podView);
    if (executions.putIfAbsent(uid, execution) == null) {
      services
          .threads()
          .execute(
              () -> {
                try (LogContext _ = RunLines.about(request.run())) {
                  runToEnd(uid, execution, interrupted);
                }
              });
    }
  }

  /** The UIDs of the Pods that executions have. */
  public Set<String> podUids() {
    return executions.values().stream().map(RunExecution::podUid).collect(Collectors.toSet());
  }

  /** A Pod has changed, which an execution may have. */
  public void podChanged(String podUid) {
    executions.values().stream()
        .filter(execution -> execution.podUid().equals(podUid))
        .forEach(RunExecution::podChanged);
  }

  /** Whether a warm Pod that the run was given did not take it. */
  public boolean hasFailedClaim(AnalyticsRun run) {
    return failedClaims.contain(run.getMetadata().getUid());
  }

  /** Must be called when the run's final status has been observed, or the run was deleted. */
  public void forget(String runUid) {
    executions.remove(runUid);
    failedClaims.forget(runUid);
  }

  private void runToEnd(String uid, RunExecution execution, Runnable interrupted) {
    Executor next = afterPause;
    try {
      switch (execution.run()) {
        case ENDED -> {
          return;
        }
        case DELETED -> {
          forget(uid);
          return;
        }
        // Only once: each costs a warm Pod, whatever the cause.
        case NEXT_POD -> next = failedClaims.add(uid) ? services.threads() : afterPause;
        case AGAIN -> LOG.info("Run {} left its Pod and is reconciled again", uid);
      }
    } catch (InterruptedException e) {
      // The operator is shutting down; the next one resumes from the status.
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException | Error e) {
      // Most likely a temporary failure of the API server, or the operator is shutting down: the
      // reconciler resumes the run. After an Error as well, it must not remain registered here.
      boolean isExpected = Thread.currentThread().isInterrupted() && e instanceof RuntimeException;
      Level level = isExpected ? Level.DEBUG : Level.WARN;
      LOG.atLevel(level)
          .log("The execution of run {} failed and will be resumed: {}", uid, e.toString());
    }
    next.execute(
        () -> {
          executions.remove(uid);
          interrupted.run();
        });
  }
}
