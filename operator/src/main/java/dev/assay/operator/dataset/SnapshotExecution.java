package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.runner.RunnerEvent;
import dev.assay.operator.runner.RunnerLostException;
import dev.assay.operator.runner.RunnerRefusedException;
import dev.assay.operator.runner.RunnerSession;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Executes one snapshot in its Pod. Blocks its thread. */
final class SnapshotExecution {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration STOP_GRACE = Duration.ofMillis(500);
  private static final Duration SLACK = Duration.ofSeconds(15);
  private static final Duration STATUS_LAG = Duration.ofSeconds(5);

  /** The output of a parser is not needed. */
  private static final int OUTPUT_BYTES = 64 * 1024;

  private static final long MAX_STREAM_BYTES = 16L * 1024 * 1024;

  private final RunnerClient runners;
  private final SigningKeys keys;
  private final PodView podView;
  private final SnapshotUpload uploads;
  private final Clock clock;

  SnapshotExecution(
      RunnerClient runners, SigningKeys keys, Uploads uploads, PodView podView, Clock clock) {
    this.runners = runners;
    this.keys = keys;
    this.podView = podView;
    this.uploads = new SnapshotUpload(uploads, runners, podView);
    this.clock = clock;
  }

  /** Progress callbacks. */
  interface Progress {
    /** The Pod receives the bytes of the upload. */
    void uploading();

    /** The Pod has all bytes of the upload. */
    void uploaded();
  }

  /** The outcome. */
  sealed interface Outcome {}

  /** The Pod reported a result. */
  record Reported(RunnerEvent.Result result) implements Outcome {}

  /**
   * There is no result, and another Pod may succeed.
   *
   * @param message why
   */
  record Lost(String message) implements Outcome {}

  /**
   * The snapshot cannot be created from this source.
   *
   * @param message why
   */
  record Refused(String message) implements Outcome {}

  /** The worker was OOM-killed; another Pod would be, too. */
  record OutOfMemory() implements Outcome {}

  void podChanged() {
    podView.podChanged();
  }

  Outcome execute(
      Dataset dataset, Pod pod, RunClassSpec runClass, SnapshotIdentity identity, Progress progress)
      throws InterruptedException {
    RunnerSession session = new RunnerSession(runners, podView, clock);
    Duration timeout = Duration.ofSeconds(runClass.timeouts().defaultSeconds());
    Duration bound = START_TIMEOUT.plus(timeout).plus(SLACK);
    try {
      Hello hello = session.hello(pod, clock.instant().plus(bound));
      Optional<SigningKey> key = keys.forPod(CreatedPod.keyIds(pod));
      if (key.isEmpty()) {
        return new Lost("the signing key of its Pod was removed");
      }
      Binding binding =
          new Binding(
              RunnerAddress.of(pod),
              pod.getMetadata().getNamespace(),
              identity.id(),
              pod.getMetadata().getUid(),
              hello.nonce(),
              key.get());
      DatasetSource source = dataset.getSpec().source();
      if (hello.isIdle()) {
        Optional<String> missing = SnapshotJob.missing(source, hello);
        if (missing.isPresent()) {
          return new Refused(missing.get());
        }
        Job.Upload upload = null;
        if (source.upload() != null) {
          upload = uploads.receive(dataset, source.upload(), binding, progress::uploading);
          progress.uploaded();
        }
        runners.stage(binding, SnapshotJob.of(source, runClass, upload, hello, limits(timeout)));
      }
      RunnerEvent.Result result =
          session.follow(binding, MAX_STREAM_BYTES, event -> {}, clock.instant().plus(bound));
      return isOutOfMemory(result) ? new OutOfMemory() : new Reported(result);
    } catch (SnapshotUpload.FailedException e) {
      return new Refused(e.sentence());
    } catch (PodEndedException e) {
      return new Lost(
          podView.now().map(PodState::terminationReason).orElse("the snapshot's Pod was deleted"));
    } catch (RunnerLostException | RunnerRefusedException | IOException e) {
      return new Lost("the snapshot's Pod could not be followed: " + e.getMessage());
    }
  }

  /**
   * The kernel kills the whole container, launcher included; only the Pod's status has the reason.
   */
  private boolean isOutOfMemory(RunnerEvent.Result result) throws InterruptedException {
    if (result.outcome() != RunnerEvent.Outcome.WorkerLost) {
      return result.outcome() == RunnerEvent.Outcome.MemoryExceeded;
    }
    boolean unused = podView.await(PodState::workerEnded, STATUS_LAG);
    return podView.now().filter(PodState::workerOutOfMemory).isPresent();
  }

  private static Job.Limits limits(Duration timeout) {
    return new Job.Limits(
        timeout.toMillis(), START_TIMEOUT.toMillis(), STOP_GRACE.toMillis(), OUTPUT_BYTES);
  }
}
