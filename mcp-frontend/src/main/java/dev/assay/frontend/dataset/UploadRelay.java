package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.UploadSource;
import java.io.InputStream;

/** Takes the bytes of an upload to the Pod that waits for them. */
@FunctionalInterface
public interface UploadRelay {
  /** There is none: nothing can be uploaded. */
  UploadRelay NONE = (namespace, datasetUid, upload, body) -> Relayed.UNREACHABLE;

  /** What became of the bytes. */
  enum Relayed {
    /** The Pod has all of them. */
    TAKEN,
    /** No Pod waits for them any more, or somebody else brings them. */
    NOT_EXPECTED,
    /** They did not arrive; the dataset's status says why. */
    FAILED,
    /** Nobody could be asked. */
    UNREACHABLE
  }

  /**
   * Sends an upload; returns when it is there or will not be.
   *
   * @param upload as the dataset's source has it
   * @param body read to its end only where all of it is taken
   */
  Relayed send(String namespace, String datasetUid, UploadSource upload, InputStream body)
      throws InterruptedException;
}
