package dev.assay.operator;

import dev.assay.operator.runner.RunnerClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of executions, and the client with which they connect to run Pods.
 *
 * @param threads a virtual thread for each task
 * @param runners the client
 */
record Executions(ExecutorService threads, RunnerClient runners) implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Executions.class);
  private static final Duration MAX_CLOSE = Duration.ofSeconds(3);

  Executions(RunnerClient runners) {
    this(Executors.newVirtualThreadPerTaskExecutor(), runners);
  }

  /** Interrupts all executions: the next leader resumes them, and must be the only one to write. */
  @Override
  public void close() {
    threads.shutdownNow();
    runners.close();
    try {
      if (!threads.awaitTermination(MAX_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
        LOG.warn("Executions did not stop within {} s of shutdown", MAX_CLOSE.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
