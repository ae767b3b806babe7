package dev.assay.operator.upload;

import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The uploads that Pods of this operator wait for. */
public final class Uploads {
  private final Map<UploadKey, ExpectedUpload> expected = new ConcurrentHashMap<>();

  /** The result of a delivery. */
  public enum Delivery {
    /** The Pod has received all bytes. */
    TAKEN,
    /** No Pod waits for this upload: not yet, or no longer. */
    NOT_EXPECTED,
    /** Another sender is delivering this upload. */
    UNDER_WAY,
    /** The length differs from the length in the dataset's spec. */
    WRONG_LENGTH,
    /** The upload was incomplete; the dataset's status gives the reason. */
    FAILED
  }

  /**
   * Registers an upload as expected, until the caller closes the returned object.
   *
   * @param bytes its length
   * @param target receives the bytes
   * @param changed called when the transfer starts and when it ends
   */
  public ExpectedUpload expect(
      UploadKey key, long bytes, ExpectedUpload.Target target, Runnable changed) {
    ExpectedUpload upload =
        new ExpectedUpload(bytes, target, changed, gone -> expected.remove(key, gone));
    expected.put(key, upload);
    return upload;
  }

  /**
   * Delivers the bytes of an upload to the Pod that waits for them; returns when the Pod has them
   * or the delivery has failed.
   *
   * @param bytes its length
   * @param body read to its end only if the Pod takes all of it
   */
  public Delivery deliver(UploadKey key, long bytes, InputStream body) {
    ExpectedUpload upload = expected.get(key);
    return upload == null ? Delivery.NOT_EXPECTED : upload.take(bytes, body);
  }
}
