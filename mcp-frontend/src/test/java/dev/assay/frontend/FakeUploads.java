package dev.assay.frontend;

import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.dataset.UploadRelay;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Pods that take uploads, or do not. */
public final class FakeUploads implements UploadRelay {
  /** An upload that was sent, with as much of it as came. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Sent(UploadSource upload, byte[] bytes) {}

  private final FakeDatasets datasets;
  private final List<Sent> sent = new CopyOnWriteArrayList<>();
  private volatile Relayed answer = Relayed.TAKEN;
  private volatile @Nullable DatasetPhase phase = DatasetPhase.Ready;

  public FakeUploads(FakeDatasets datasets) {
    this.datasets = datasets;
  }

  /** What becomes of uploads, and then of their datasets; null leaves these alone. */
  public void become(Relayed relayed, @Nullable DatasetPhase then) {
    this.answer = relayed;
    this.phase = then;
  }

  /** All uploads so far. */
  public List<Sent> sent() {
    return sent;
  }

  @Override
  public Relayed send(String namespace, String datasetUid, UploadSource upload, InputStream body) {
    Relayed relayed = answer;
    try {
      byte[] bytes = relayed == Relayed.TAKEN ? body.readAllBytes() : body.readNBytes(1);
      sent.add(new Sent(upload, bytes));
      relayed =
          relayed == Relayed.TAKEN && bytes.length < upload.bytes() ? Relayed.FAILED : relayed;
    } catch (IOException e) {
      relayed = Relayed.FAILED;
    }
    DatasetPhase then = relayed == Relayed.FAILED ? DatasetPhase.Failed : phase;
    if (then != null) {
      datasets.list(namespace).stream()
          .filter(dataset -> upload.equals(dataset.getSpec().source().upload()))
          .forEach(dataset -> datasets.settle(dataset.getMetadata().getName(), then));
    }
    return relayed;
  }
}
