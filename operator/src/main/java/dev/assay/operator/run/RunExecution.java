package dev.assay.operator.run;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.kubernetes.WholeObjects;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.FailedStart;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes one run in its Pod: hello, stage and bind, start, events, ending. Blocks its thread. The
 * code is started only after the write that binds the run to the Pod.
 */
final class RunExecution {
  private static final Logger LOG = LoggerFactory.getLogger(RunExecution.class);
  private static final Duration STATUS_LAG = Duration.ofSeconds(5);
  private static final Duration SLACK = Duration.ofSeconds(15);
  private static final Duration FIRST_STORE_RETRY = Duration.ofMillis(10);
  private static final Duration LAST_STORE_RETRY = Duration.ofSeconds(5);

  /** A staged job can be started for two minutes, minus the time that a bind takes. */
  private static final Duration STAGED_JOB_AGE = Duration.ofSeconds(90);

  private static final Duration STOP_GRACE = Duration.ofMillis(500);

  /** The overhead of base64 and of an event with as little as one byte of output. */
  private static final long STREAM_BYTES_PER_OUTPUT_BYTE = 128;

  /** Shared by all executions. */
  record Services(
      StatusWriter<AnalyticsRunStatus, AnalyticsRun> statuses,
      RunnerClient runners,
      OutputStore outputs,
      RunnerPods pods,
      SigningKeys keys,
      WholeObjects wholes,
      RunEvents events,
      ExecutorService threads,
      Clock clock) {}

  /**
   * The run to execute.
   *
   * @param run the cached run
   * @param pod its Pod, running
   * @param limits the limits of the run
   * @param startTimeout from the start to the first instruction
   * @param retry decides whether it gets another Pod
   */
  record Request(AnalyticsRun run, Pod pod, RunLimits limits, Duration startTimeout, Retry retry) {}

  /** Decides whether a run whose Pod ended before any code ran gets another Pod. */
  @FunctionalInterface
  interface Retry {
    /** The run's status message in the meantime; empty if it gets no other Pod. */
    Optional<String> message(String cause);
  }

  private final Services services;
  private final Request request;
  private final PodView podView;
  private final RunOutput output = new RunOutput();
  private volatile @Nullable Binding binding;
  private volatile boolean cancelled;
  private volatile boolean runDeleted;
  private volatile boolean storeOutage;
  private final boolean boundBefore;
  private boolean startSent;
  private boolean startSeen;
  private long lastSeq;
  private final RunStatusWriter status;

  RunExecution(Services services, Request request, PodView podView) {
    this.services = services;
    this.request = request;
    this.status =
        new RunStatusWriter(
            services.statuses(),
            services.threads(),
            services.clock(),
            request.run(),
            request.pod());
    this.podView = podView;
    this.boundBefore = RunState.statusOf(request.run()).pod() != null;
  }

  /** The Pod may have changed. */
  void podChanged() {
    podView.podChanged();
  }

  /** Cancels the code, once; the result then has outcome Cancelled. */
  void cancel() {
    if (cancelled) {
      return;
    }
    cancelled = true;
    Binding bound = binding;
    if (bound != null) {
      services.threads().execute(() -> sendCancel(bound));
    }
  }

  private void sendCancel(Binding bound) {
    try {
      services.runners().cancel(bound);
    } catch (IOException | RunnerRefusedException e) {
      if (storeOutage) {
        LOG.info("Cancelling run {} failed; its Pod is kept for its output", name());
        return;
      }
      LOG.info("Cancelling run {} by deleting its Pod: {}", name(), e.getMessage());
      deletePod();
    }
  }

  private void deletePod() {
    try {
      services.pods().delete(request.pod());
    } catch (RuntimeException e) {
      LOG.warn("Cancelling run {} failed; it runs until its deadline: {}", name(), e.toString());
    }
  }

  /**
   * Executes the run until it ends.
   *
   * @return whether this ended the run; false if the run does not belong to this Pod, or gets
   *     another Pod
   */
  boolean run() throws InterruptedException {
    Optional<Ending> ending = execute();
    return ending.isPresent() && finish(ending.get());
  }

  /** Empty if the run belongs to another Pod or has ended already. */
  private Optional<Ending> execute() throws InterruptedException {
    Instant seenRunning = services.clock().instant();
    RunnerSession session = new RunnerSession(services.runners(), podView, services.clock());
    try {
      Instant giveUp = seenRunning.plus(maxRemaining());
      Hello hello = session.hello(request.pod(), giveUp);
      Optional<SigningKey> key = services.keys().forPod(RunnerPod.keyIds(request.pod()));
      if (key.isEmpty()) {
        return Optional.of(
            withoutResult(
                Ending.startUnknown(
                    RunReason.RunnerLost, "The signing key of the Pod was removed", received())));
      }
      Binding candidate = candidate(hello, key.get());
      if (!isBoundToThisProcess(hello)) {
        return Optional.of(
            Ending.startUnknown(
                RunReason.RunnerLost, "The runner was restarted during the run", received()));
      }
      if (!boundBefore && isUsedUp(hello)) {
        deleteUsedUpPod();
        return Optional.empty();
      }
      if (!stageAndBind(candidate, hello, seenRunning)) {
        return Optional.empty();
      }
      binding = candidate;
      if (cancelled) {
        sendCancel(candidate);
      }
      startSent = true;
      RunnerEvent.Result result = session.follow(candidate, maxStreamBytes(), this::handle, giveUp);
      return releasedForAnother(result) ? Optional.empty() : Optional.of(reported(result));
    } catch (PodEndedException e) {
      // Before the bind, the reconciler handles the termination of the Pod.
      return status.isBound() ? Optional.of(podEnded()) : Optional.empty();
    } catch (IOException e) {
      // The job did not reach the Pod, usually because the Pod is terminating.
      boolean reachable = podView.now().filter(PodState::isReachable).isPresent();
      return Optional.of(reachable ? notFollowed(e) : podEnded());
    } catch (RunnerLostException e) {
      return e.jobExpired() && !startSeen ? expired(e) : Optional.of(notFollowed(e));
    } catch (RunnerRefusedException e) {
      return Optional.of(notFollowed(e));
    }
  }

  /**
   * Whether its runner can no longer start an unbound run: it was used already, or its staged job
   * may have expired.
   */
  private boolean isUsedUp(Hello hello) {
    return switch (hello.state()) {
      case "Idle" -> false;
      case "Staged" -> !services.clock().instant().isBefore(podStart().plus(STAGED_JOB_AGE));
      default -> true;
    };
  }

  private Instant podStart() {
    String started = request.pod().getStatus().getStartTime();
    return Instant.parse(
        started == null ? request.pod().getMetadata().getCreationTimestamp() : started);
  }

  /**
   * A cache may be stale: the Pod of a run that was bound by another replica must not be deleted.
   */
  private void deleteUsedUpPod() {
    if (services.wholes().read(request.run()).filter(run -> !isUnbound(run)).isEmpty()) {
      LOG.info("The Pod of run {} can start no job any more and is replaced", name());
      services.pods().delete(request.pod());
    }
  }

  private static boolean isUnbound(AnalyticsRun run) {
    return RunState.statusOf(run).pod() == null;
  }

  /**
   * Whether no code has run, for a cause outside the run, and the run was released to get another
   * Pod.
   */
  private boolean releasedForAnother(RunnerEvent.Result result) throws InterruptedException {
    if (startSeen || cancelled || FailedStart.retryableCause(result, null).isEmpty()) {
      return false;
    }
    boolean unused =
        podView.await(pod -> PodState.workerEnded(pod) || PodState.isTerminal(pod), STATUS_LAG);
    Optional<String> cause = FailedStart.retryableCause(result, podView.now().orElse(null));
    return cause.isPresent() && release(cause.get());
  }

  /**
   * The output of a worker that failed to start must not become the beginning of the next one's.
   */
  private void forgetOutput() {
    try {
      services.outputs().delete(namespace(), runUid());
    } catch (IOException e) {
      LOG.warn(
          "The output of the first Pod of run {} could not be removed: {}",
          name(),
          StoreOutage.reason(e));
    }
  }

  /**
   * Releases the run, and then deletes its Pod, which can start no job any more. In this order: a
   * run that another leader has released already may have output of its next Pod, which has the
   * same name and cannot exist before this one is deleted.
   */
  private boolean release(String cause) {
    Optional<String> message = request.retry().message(cause);
    if (message.isEmpty() || !status.release(message.get())) {
      return false;
    }
    forgetOutput();
    LOG.info("Run {} gets another Pod: {}", name(), cause);
    services.events().waiting(request.run(), RunReason.WaitingForPod, message.get());
    boolean unused = acknowledge();
    services.pods().delete(request.pod());
    return true;
  }

  /**
   * The runner refuses to start the job because it has expired. While the runner reports that the
   * job is only staged, it was not started, and cannot be.
   */
  private Optional<Ending> expired(RunnerLostException refusal) throws InterruptedException {
    Binding bound = requireNonNull(binding);
    try {
      Hello hello = services.runners().hello(bound.address());
      if (!"Staged".equals(hello.state()) || !hello.nonce().equals(bound.nonce())) {
        return Optional.of(notFollowed(refusal));
      }
    } catch (IOException | RunnerRefusedException e) {
      return Optional.of(notFollowed(refusal));
    }
    String cause = "the operator was unavailable for longer than a job may wait in its Pod";
    return !cancelled && release(cause)
        ? Optional.empty()
        : Optional.of(
            Ending.notStarted(
                cancelled ? RunReason.Cancelled : RunReason.StartFailed,
                cancelled
                    ? "The run was cancelled on request"
                    : "The code was not started: " + cause));
  }

  private Ending podEnded() throws InterruptedException {
    return withoutResult(
        Endings.podEnded(podView.now().orElse(null), request.limits().memory(), received()));
  }

  private Ending notFollowed(Exception why) throws InterruptedException {
    return withoutResult(
        Ending.startUnknown(
            RunReason.RunnerLost,
            "The run could not be followed: " + why.getMessage(),
            received()));
  }

  /** An earlier operator process may have received more than the runner has repeated so far. */
  private @Nullable RunResult received() throws InterruptedException {
    if (!boundBefore) {
      return output.partialResult();
    }
    Duration retry = FIRST_STORE_RETRY;
    while (true) {
      try {
        RunResult stored = StoredOutput.result(services.outputs(), request.run());
        storeWorks();
        return stored;
      } catch (UncheckedIOException e) {
        storeFailed(e);
      }
      Thread.sleep(retry);
      retry = retry.compareTo(LAST_STORE_RETRY) < 0 ? retry.multipliedBy(2) : retry;
    }
  }

  /** Completes an ending without a result. */
  private Ending withoutResult(Ending ending) {
    Ending told = cancelled ? ending.cancelled() : ending;
    if (storeOutage) {
      told = told.explained("the end of its output could not be stored");
    }
    // An earlier operator process may have sent the start.
    return startSent || boundBefore ? told : Ending.notStarted(told.reason(), told.message());
  }

  /**
   * Stages the job in the Pod and, at the same time, binds the run to the Pod and lowers the Pod's
   * deadline to what the run needs.
   *
   * @return whether the run is bound to this Pod
   */
  private boolean stageAndBind(Binding candidate, Hello hello, Instant seenRunning)
      throws IOException, RunnerRefusedException, RunnerLostException {
    CompletableFuture<Void> staged =
        "Idle".equals(hello.state())
            ? CompletableFuture.runAsync(() -> stage(candidate, hello), services.threads())
            : CompletableFuture.completedFuture(null);
    CompletableFuture<Void> lowered =
        CompletableFuture.runAsync(
            () ->
                services
                    .pods()
                    .lowerDeadline(request.pod(), maxRemaining().plus(RunLimits.STORE_GRACE)),
            services.threads());
    if (!status.bind(hello.nonce(), seenRunning)) {
      // The result of staging does not matter for a run that is not bound to this Pod.
      return false;
    }
    join(staged);
    join(lowered);
    return true;
  }

  private void stage(Binding candidate, Hello hello) {
    Job.Limits limits =
        new Job.Limits(
            Duration.ofSeconds(request.limits().timeoutSeconds()).toMillis(),
            request.startTimeout().toMillis(),
            STOP_GRACE.toMillis(),
            request.limits().outputLimitBytes());
    Optional<AnalyticsRun> whole = services.wholes().read(request.run());
    if (whole.isEmpty()) {
      // The run was deleted; the bind will fail.
      return;
    }
    try {
      services.runners().stage(candidate, RunJob.of(whole.get().getSpec(), hello, limits));
    } catch (RunnerRefusedException e) {
      // A previous leader has just staged the same run's job, with another signature.
      if (!"BytesChanged".equals(e.code())) {
        throw new CompletionException(e);
      }
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static void join(CompletableFuture<Void> future)
      throws IOException, RunnerRefusedException, RunnerLostException {
    try {
      future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof RunnerRefusedException refused) {
        throw refused;
      }
      throw e;
    }
  }

  private void handle(RunnerEvent event) throws IOException, ProtocolViolationException {
    switch (event) {
      case RunnerEvent.Started started -> started();
      case RunnerEvent.Output data -> store(data);
      // The ending is written once it is complete; see finish.
      case RunnerEvent.Result result -> lastSeq = result.seq();
    }
  }

  /** A runner sends it once, but repeats it after a reconnect. */
  private void started() {
    if (startSeen) {
      return;
    }
    startSeen = true;
    status.started();
    services.events().started(request.run());
  }

  /** Output must have no gaps and must not exceed the run's limit. */
  private void store(RunnerEvent.Output data) throws IOException, ProtocolViolationException {
    long next = output.size();
    if (data.offset() <= next && data.offset() + data.data().length <= next) {
      return;
    }
    long limit = request.limits().outputLimitBytes();
    if (data.offset() != next || next + data.data().length > limit) {
      throw new ProtocolViolationException(
          "output at byte " + data.offset() + " has a gap or exceeds the limit");
    }
    try {
      services.outputs().append(namespace(), runUid(), data.offset(), data.data());
    } catch (IOException e) {
      storeFailed(e);
      throw e;
    }
    storeWorks();
    output.take(data.offset(), data.data());
  }

  /** The run waits for the store, which is reported once per outage. */
  private void storeFailed(Exception failure) {
    if (storeOutage) {
      return;
    }
    storeOutage = true;
    String message = StoreOutage.message(services.outputs(), failure);
    LOG.warn("Output of run {} cannot be stored. {}", name(), message);
    services.events().outputStoreUnavailable(request.run(), message);
    status.outputStoreIsUnavailable(message);
  }

  private void storeWorks() {
    if (storeOutage) {
      storeOutage = false;
      LOG.info("Output of run {} is stored again", name());
      status.outputStoreIsUnavailable(null);
    }
  }

  private Ending reported(RunnerEvent.Result result) throws InterruptedException {
    Pod pod = podView.now().orElse(null);
    if (result.outcome() == RunnerEvent.Outcome.WorkerLost && pod != null) {
      boolean unused = podView.await(PodState::workerEnded, STATUS_LAG);
      pod = podView.now().orElse(null);
    }
    return Endings.reported(
        result,
        output.result(result),
        startSeen,
        pod,
        request.limits().memory(),
        request.limits().timeoutSeconds());
  }

  /** Returns whether the ending was written. */
  private boolean finish(Ending ending) {
    RunStatusWriter.Finish finish = status.finish(ending);
    if (finish == RunStatusWriter.Finish.NOT_OURS) {
      return false;
    }
    runDeleted = finish == RunStatusWriter.Finish.GONE;
    services.outputs().complete(namespace(), runUid());
    if (runDeleted) {
      deleteOutput();
    } else {
      services.events().ended(request.run(), ending);
    }
    boolean endsByItself = acknowledge() || podView.now().filter(PodState::isTerminal).isPresent();
    if (!endsByItself || runDeleted) {
      services.pods().delete(request.pod());
    }
    LOG.info("Run {} ended: {}", name(), ending.reason());
    return true;
  }

  /**
   * Acknowledges the last event, so that the runner exits and its Pod terminates.
   *
   * @return whether the runner received it
   */
  private boolean acknowledge() {
    Binding bound = binding;
    if (bound == null || lastSeq == 0) {
      return false;
    }
    try {
      services.runners().ack(bound, lastSeq);
      return true;
    } catch (IOException | RunnerRefusedException e) {
      LOG.debug("No ack to the runner of run {}: {}", name(), e.getMessage());
      return false;
    }
  }

  /** Whether the run was deleted while it was executed. */
  boolean runDeleted() {
    return runDeleted;
  }

  private void deleteOutput() {
    try {
      services.outputs().delete(namespace(), runUid());
    } catch (IOException e) {
      LOG.warn("The output of run {} could not be removed: {}", name(), e.getMessage());
    }
  }

  private boolean isBoundToThisProcess(Hello hello) {
    BoundPod bound = RunState.statusOf(request.run()).pod();
    return bound == null || hello.nonce().equals(bound.nonce());
  }

  private Binding candidate(Hello hello, SigningKey key) {
    return new Binding(
        RunnerAddress.of(request.pod()), namespace(), runUid(), podUid(), hello.nonce(), key);
  }

  /** From now to the latest possible event. */
  private Duration maxRemaining() {
    return request
        .startTimeout()
        .plusSeconds(request.limits().timeoutSeconds())
        .plus(STOP_GRACE)
        .plus(SLACK);
  }

  private long maxStreamBytes() {
    return 2L * 1024 * 1024 + STREAM_BYTES_PER_OUTPUT_BYTE * request.limits().outputLimitBytes();
  }

  private String namespace() {
    return request.run().getMetadata().getNamespace();
  }

  private String name() {
    return namespace() + "/" + request.run().getMetadata().getName();
  }

  private String runUid() {
    return request.run().getMetadata().getUid();
  }

  private String podUid() {
    return request.pod().getMetadata().getUid();
  }
}
