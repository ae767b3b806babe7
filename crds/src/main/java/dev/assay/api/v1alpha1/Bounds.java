package dev.assay.api.v1alpha1;

/** Bounds shared by the kinds. Lengths are in characters unless a name says otherwise. */
public final class Bounds {
  /** Maximum bytes of UTF-8 of a run's code; the schema limits its characters. */
  public static final int MAX_CODE_BYTES = 262_144;

  /** Maximum bytes of UTF-8 of a run's input. */
  public static final int MAX_INPUT_BYTES = 262_144;

  /** Maximum bytes of UTF-8 of the arguments of builtin work. */
  public static final int MAX_ARGUMENTS_BYTES = 16_384;

  /** Rows of a table that a caller gets if the run does not say. */
  public static final int DEFAULT_REPLY_ROWS = 100;

  /** Maximum rows of a table that a run can ask for. */
  public static final int MAX_REPLY_ROWS = 1000;

  /** Longest name of a line of the cache. */
  public static final int MAX_CACHE_NAME = 64;

  /** Longest name of an image. */
  public static final int MAX_IMAGE = 512;

  /** Longest digest of an image, such as {@code sha256:...}. */
  public static final int MAX_IMAGE_ID = 128;

  /** Hexadecimal digits of a SHA-256. */
  public static final int DIGEST_HEX = 64;

  /**
   * Maximum bytes of UTF-8 of a stored value: what code may return, with each control character of
   * two bytes written as an escape of six.
   */
  public static final int MAX_VALUE_BYTES = 3 * 262_144;

  /** Maximum bytes of UTF-8 of a value that a status contains. */
  public static final int MAX_STATUS_VALUE_BYTES = 8 * 1024;

  /** Maximum bytes of UTF-8 of an inline dataset. */
  public static final int MAX_INLINE_BYTES = 262_144;

  /** Maximum bytes or rows that a class may allow a source. */
  public static final long MAX_SOURCE = 1L << 40;

  /** Longest name of a dataset, class, volume or namespace: an RFC 1123 label. */
  public static final int MAX_LABEL = 63;

  /** An RFC 1123 label: what Kubernetes accepts in a volume name and a mount path may carry. */
  public static final String LABEL_PATTERN = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** Maximum number of datasets that a run may name. */
  public static final int MAX_RUN_DATASETS = 16;

  /** Longest run time, in seconds, that any class may allow. */
  public static final int MAX_TIMEOUT_SECONDS = 600;

  /** Maximum bytes of output that a status contains, head and tail together. */
  public static final int MAX_STATUS_OUTPUT_BYTES = 16 * 1024;

  /** How often making a snapshot is tried, each time in a Pod of its own. */
  public static final int SNAPSHOT_ATTEMPTS = 3;

  private Bounds() {}
}
