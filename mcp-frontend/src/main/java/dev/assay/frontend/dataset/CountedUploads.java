package dev.assay.frontend.dataset;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.UploadSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import java.io.InputStream;
import java.util.Locale;

/** Counts uploads and their bytes. */
public final class CountedUploads implements UploadRelay {
  private final UploadRelay relay;
  private final MeterProvider<Counter> uploads;
  private final Counter bytes;

  public CountedUploads(UploadRelay relay, ProgramMetrics metrics) {
    this.relay = relay;
    this.uploads =
        Counter.builder("assay_frontend_uploads_total")
            .description("Uploads that have ended, by outcome.")
            .withRegistry(metrics.registry());
    this.bytes =
        Counter.builder("assay_frontend_upload_bytes_total")
            .description("Bytes of uploads that their Pods have received.")
            .register(metrics.registry());
  }

  @Override
  public Relayed send(String namespace, String datasetUid, UploadSource upload, InputStream body)
      throws InterruptedException {
    Relayed relayed = relay.send(namespace, datasetUid, upload, body);
    uploads.withTag("outcome", relayed.name().toLowerCase(Locale.ROOT)).increment();
    if (relayed == Relayed.TAKEN) {
      bytes.increment((double) upload.bytes());
    }
    return relayed;
  }
}
