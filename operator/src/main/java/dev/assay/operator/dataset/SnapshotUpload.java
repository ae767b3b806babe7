package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.PodEndedException;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.upload.ExpectedUpload;
import dev.assay.operator.upload.UploadKey;
import dev.assay.operator.upload.Uploads;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for the upload of a source to the Pod that reads it. */
final class SnapshotUpload {
  /** Maximum time from phase Uploading to the first byte, and between any two. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  private static final Duration OVERHEAD = Duration.ofMinutes(2);

  /** The minimum rate: a slower upload would only occupy a Pod. */
  private static final long MIN_BYTES_PER_SECOND = 128 * 1024;

  private final Uploads uploads;
  private final RunnerClient runners;
  private final PodView podView;
  private final Duration maxSilence;

  SnapshotUpload(Uploads uploads, RunnerClient runners, PodView podView) {
    this(uploads, runners, podView, MAX_SILENCE);
  }

  SnapshotUpload(Uploads uploads, RunnerClient runners, PodView podView, Duration maxSilence) {
    this.maxSilence = maxSilence;
    this.uploads = uploads;
    this.runners = runners;
    this.podView = podView;
  }

  /** The upload failed. The message is for the caller. */
  static final class FailedException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message);
    }

    String sentence() {
      return String.valueOf(getMessage());
    }
  }

  /** How long an upload may take, including the wait for its first byte. */
  static Duration timeLimit(UploadSource upload) {
    return OVERHEAD.plusSeconds(upload.bytes() / MIN_BYTES_PER_SECOND);
  }

  /**
   * Waits until the Pod has the upload.
   *
   * @param begin called when the upload can start
   */
  Job.Upload receive(Dataset dataset, UploadSource upload, Binding binding, Runnable begin)
      throws FailedException, PodEndedException, InterruptedException {
    UploadKey key =
        new UploadKey(
            dataset.getMetadata().getNamespace(), dataset.getMetadata().getUid(), upload.id());
    try (ExpectedUpload expected =
        uploads.expect(
            key,
            upload.bytes(),
            body -> runners.upload(binding, upload.bytes(), body),
            podView::podChanged)) {
      begin.run();
      if (!await(expected::hasStarted, maxSilence)) {
        throw new FailedException(
            "No upload was received within " + maxSilence.toSeconds() + " s; upload it again");
      }
      awaitEnding(expected, upload);
      return switch (expected.ending().orElseThrow()) {
        case ExpectedUpload.Taken taken -> taken.upload();
        case ExpectedUpload.Failed failed -> throw new FailedException(failed.why());
      };
    }
  }

  /** A connection whose peer has disappeared may stay open, and the upload would never end. */
  private void awaitEnding(ExpectedUpload expected, UploadSource upload)
      throws FailedException, PodEndedException, InterruptedException {
    Duration atMost = timeLimit(upload);
    long seen = 0;
    for (Duration left = atMost; left.isPositive(); left = left.minus(maxSilence)) {
      if (await(() -> expected.ending().isPresent(), maxSilence)) {
        return;
      }
      long received = expected.received();
      // After the last byte the Pod may still be writing to its volume.
      if (received == seen && received < upload.bytes()) {
        throw new FailedException(
            "The upload stalled for " + maxSilence.toSeconds() + " s; upload it again");
      }
      seen = received;
    }
    throw new FailedException(
        "The upload did not finish within "
            + atMost.toSeconds()
            + " s; upload it again over a faster connection");
  }

  /** Returns whether the condition became true in time. */
  private boolean await(BooleanSupplier holds, Duration atMost)
      throws PodEndedException, InterruptedException {
    boolean inTime = podView.await(pod -> holds.getAsBoolean() || PodState.isTerminal(pod), atMost);
    if (inTime && !holds.getAsBoolean()) {
      throw new PodEndedException();
    }
    return inTime;
  }
}
