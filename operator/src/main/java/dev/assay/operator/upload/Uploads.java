package dev.assay.operator.upload;

import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The uploads that Pods of this operator wait for. */
public final class Uploads {
  private final Map<UploadKey, ExpectedUpload> expected = new ConcurrentHashMap<>();

  /** What became of bytes that were brought. */
  public enum Delivery {
    /** The Pod has all of them. */
    TAKEN,
    /** No Pod waits for them: not yet, or not any more. */
    NOT_EXPECTED,
    /** Somebody else is bringing them. */
    UNDER_WAY,
    /** There are more or fewer of them than the dataset says. */
    WRONG_LENGTH,
    /** They did not arrive whole; the dataset's status says why. */
    FAILED
  }

  /**
   * Waits for an upload from now on, until the caller closes what is returned.
   *
   * @param bytes how many there will be
   * @param target where they go
   * @param changed told when they begin to come and when they have ended
   */
  public ExpectedUpload expect(
      UploadKey key, long bytes, ExpectedUpload.Target target, Runnable changed) {
    ExpectedUpload upload =
        new ExpectedUpload(bytes, target, changed, gone -> expected.remove(key, gone));
    expected.put(key, upload);
    return upload;
  }

  /**
   * Brings the bytes of an upload to the Pod that waits for them; returns when it has them, or will
   * not have them.
   *
   * @param bytes how many there are
   * @param body read to its end only where all are taken
   */
  public Delivery bring(UploadKey key, long bytes, InputStream body) {
    ExpectedUpload upload = expected.get(key);
    return upload == null ? Delivery.NOT_EXPECTED : upload.take(bytes, body);
  }
}
