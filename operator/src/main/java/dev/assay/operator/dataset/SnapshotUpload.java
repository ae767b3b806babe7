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
  /** From the time that the dataset is Uploading to the first byte. */
  private static final Duration TO_BEGIN = Duration.ofSeconds(60);

  /** Slower than this is no upload but a Pod held for nothing. */
  private static final long LEAST_BYTES_PER_SECOND = 128 * 1024;

  private final Uploads uploads;
  private final RunnerClient runners;
  private final PodView podView;

  SnapshotUpload(Uploads uploads, RunnerClient runners, PodView podView) {
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
    return TO_BEGIN.multipliedBy(2).plusSeconds(upload.bytes() / LEAST_BYTES_PER_SECOND);
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
      if (!await(expected::hasBegun, TO_BEGIN)) {
        throw new FailedException(
            "No upload came within " + TO_BEGIN.toSeconds() + " s; upload it again");
      }
      if (!await(() -> expected.ending().isPresent(), timeFor(upload))) {
        throw new FailedException(
            "The upload did not end within "
                + timeFor(upload).toSeconds()
                + " s; upload it again, from nearer by");
      }
      return switch (expected.ending().orElseThrow()) {
        case ExpectedUpload.Taken taken -> taken.upload();
        case ExpectedUpload.Failed failed -> throw new FailedException(failed.why());
      };
    }
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
