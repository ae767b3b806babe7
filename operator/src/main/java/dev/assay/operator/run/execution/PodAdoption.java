package dev.assay.operator.run.execution;

import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.status.RunStatusWriter;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a warm Pod that of the run which is bound to it. Until then the deadline from its creation
 * applies, its labels do not name the run, and it is not deleted with the run: so a write that
 * fails is repeated as long as run and Pod exist; once the run is gone, the Pod is deleted here.
 */
final class PodAdoption {
  private static final Logger LOG = LoggerFactory.getLogger(PodAdoption.class);

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofMinutes(1);

  private final ExecutionServices services;
  private final ExecutionRequest request;
  private final Predicate<Duration> endsWithin;
  private final Function<Duration, Executor> after;

  PodAdoption(ExecutionServices services, ExecutionRequest request, RunStatusWriter status) {
    this(
        services,
        request,
        status::endsWithin,
        pause ->
            CompletableFuture.delayedExecutor(
                pause.toMillis(), TimeUnit.MILLISECONDS, services.threads()));
  }

  /**
   * For tests.
   *
   * @param endsWithin blocks until the ending of the run is written, but no longer than this;
   *     returns whether it is written
   */
  PodAdoption(
      ExecutionServices services,
      ExecutionRequest request,
      Predicate<Duration> endsWithin,
      Function<Duration, Executor> after) {
    this.services = services;
    this.request = request;
    this.endsWithin = endsWithin;
    this.after = after;
  }

  /**
   * Adopts the Pod on another thread. Not before the end of a short run and its answer: network
   * plugins react to the labels of a Pod, and would take the CPU that these need. The operator
   * process that has bound the run may have ended before it could adopt the Pod.
   */
  void begin() {
    if (PodState.isWarm(request.pod()) && !PodState.isAdopted(request.pod())) {
      services
          .threads()
          .execute(
              () -> {
                if (endsWithin.test(RunStatusWriter.SHORT_RUN)) {
                  awaitAnswers();
                }
                // A process that ends leaves the Pod to the next leader.
                if (!Thread.currentThread().isInterrupted()) {
                  attempt(FIRST_RETRY);
                }
              });
    }
  }

  /** Its own, and others. Returns at once if the thread is ended. */
  private void awaitAnswers() {
    try {
      services.answers().await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void attempt(Duration retry) {
    try {
      services
          .pods()
          .adopt(request.pod(), request.run(), request.limits().annotations(), request.podLife());
    } catch (KubernetesClientException e) {
      if (retry.equals(FIRST_RETRY)) {
        LOG.warn(
            "Pod {} could not be adopted and will be again: {}",
            request.pod().getMetadata().getName(),
            ApiErrors.message(e));
      }
      Duration doubled = retry.multipliedBy(2);
      Duration next = doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled;
      after.apply(retry).execute(() -> attemptAgain(next));
    }
  }

  private void attemptAgain(Duration retry) {
    try {
      if (services.wholes().read(request.run()).isEmpty()) {
        services.pods().delete(request.pod());
        return;
      }
    } catch (KubernetesClientException e) {
      LOG.debug(
          "Whether run {} exists is unknown, or its Pod is not deleted: {}",
          request.name(),
          ApiErrors.message(e));
    }
    attempt(retry);
  }
}
