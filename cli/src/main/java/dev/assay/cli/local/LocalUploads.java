package dev.assay.cli.local;

import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.operator.upload.UploadKey;
import dev.assay.operator.upload.Uploads;
import java.io.InputStream;

/** The operator's uploads, which the front end reaches without a network here. */
final class LocalUploads implements UploadRelay {
  private final Uploads uploads;

  LocalUploads(Uploads uploads) {
    this.uploads = uploads;
  }

  @Override
  public Relayed send(String namespace, String datasetUid, UploadSource upload, InputStream body) {
    return switch (uploads.deliver(
        new UploadKey(namespace, datasetUid, upload.id()), upload.bytes(), body)) {
      case TAKEN -> Relayed.TAKEN;
      case NOT_EXPECTED, UNDER_WAY -> Relayed.NOT_EXPECTED;
      case WRONG_LENGTH, FAILED -> Relayed.FAILED;
    };
  }
}
