package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.PodView;
import dev.assay.operator.runner.RunnerAddress;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.upload.UploadKey;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SnapshotUploadTest {
  private static final Duration MAX_SILENCE = Duration.ofMillis(50);
  private static final UploadSource UPLOAD = new UploadSource("u1", 1000);

  private final SigningKey key = SigningKey.generate();
  private final FakeRunner runner = new FakeRunner(key);
  private final RunnerClient runners = new RunnerClient(new ManualClock());
  private final Uploads uploads = new Uploads();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch hangsUp = new CountDownLatch(1);
  private final Pod pod = Samples.runningPod(runner.port());
  private final SnapshotUpload receiving =
      new SnapshotUpload(
          uploads, runners, new PodView(() -> Optional.of(pod), Samples.POD_UID), MAX_SILENCE);

  @AfterEach
  void close() {
    hangsUp.countDown();
    threads.close();
    runner.close();
    runners.close();
  }

  @Test
  void anUploadThatNobodyBringsIsGivenUp() {
    assertThatThrownBy(() -> receive(() -> {}))
        .isInstanceOf(SnapshotUpload.FailedException.class)
        .hasMessageContaining("No upload was received");
  }

  @Test
  void anUploadWhoseBytesStopComingIsGivenUpLongBeforeItsTimeIsOver() {
    assertThatThrownBy(() -> receive(() -> threads.execute(this::bringHalf)))
        .isInstanceOf(SnapshotUpload.FailedException.class)
        .hasMessageContaining("The upload stalled");
  }

  private void receive(Runnable begin) throws Exception {
    receiving.receive(
        Samples.dataset((DatasetStatus) null),
        UPLOAD,
        new Binding(
            RunnerAddress.of(pod), Samples.NAMESPACE, "snapshot", Samples.POD_UID, "nonce", key),
        begin);
  }

  /** The peer of its connection has disappeared without closing it. */
  private void bringHalf() {
    UploadKey upload = new UploadKey(Samples.NAMESPACE, Samples.DATASET_UID, UPLOAD.id());
    uploads.deliver(
        upload,
        UPLOAD.bytes(),
        new InputStream() {
          private int left = 500;

          @Override
          public int read() throws IOException {
            if (left-- > 0) {
              return 'a';
            }
            try {
              hangsUp.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            throw new IOException("closed");
          }
        });
  }
}
