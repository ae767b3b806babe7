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

/** Has the bytes of an uploaded source brought to the Pod that reads them. */
final class SnapshotUpload {
  /** From the time that the dataset is Uploading to the first byte, and between any two. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  private static final Duration OVERHEAD = Duration.ofMinutes(2);

  /** Slower than this is no upload but a Pod held for nothing. */
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

  /** There will be no upload. The message is a sentence for the caller. */
  static final class FailedException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message);
    }

    String sentence() {
      return String.valueOf(getMessage());
    }
  }

  /** How long an upload may take, from the time that it is waited for. */
  static Duration timeFor(UploadSource upload) {
    return OVERHEAD.plusSeconds(upload.bytes() / MIN_BYTES_PER_SECOND);
  }

  /**
   * Waits until the Pod has the upload.
   *
   * @param begin told when it can begin to come
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
      if (!await(expected::hasBegun, maxSilence)) {
        throw new FailedException(
            "No upload came within " + maxSilence.toSeconds() + " s; upload it again");
      }
      awaitEnding(expected, upload);
      return switch (expected.ending().orElseThrow()) {
        case ExpectedUpload.Taken taken -> taken.upload();
        case ExpectedUpload.Failed failed -> throw new FailedException(failed.why());
      };
    }
  }

  /** A connection whose other end is gone may stay open, and nobody would ever end the upload. */
  private void awaitEnding(ExpectedUpload expected, UploadSource upload)
      throws FailedException, PodEndedException, InterruptedException {
    Duration atMost = timeFor(upload);
    long seen = 0;
    for (Duration left = atMost; left.isPositive(); left = left.minus(maxSilence)) {
      if (await(() -> expected.ending().isPresent(), maxSilence)) {
        return;
      }
      long received = expected.received();
      // Once all have come the Pod may still be writing them to its volume.
      if (received == seen && received < upload.bytes()) {
        throw new FailedException(
            "Nothing more of the upload came for "
                + maxSilence.toSeconds()
                + " s; upload it again");
      }
      seen = received;
    }
    throw new FailedException(
        "The upload did not end within "
            + atMost.toSeconds()
            + " s; upload it again, from nearer by");
  }

  /** Whether it holds in time. */
  private boolean await(BooleanSupplier holds, Duration atMost)
      throws PodEndedException, InterruptedException {
    boolean inTime = podView.await(pod -> holds.getAsBoolean() || PodState.isTerminal(pod), atMost);
    if (inTime && !holds.getAsBoolean()) {
      throw new PodEndedException();
    }
    return inTime;
  }
}
