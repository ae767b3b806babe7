package dev.assay.frontend.run;

/** Where whole output is kept. */
@FunctionalInterface
public interface OutputStore {
  /** There is none: long output is shown in part. */
  OutputStore NONE = (namespace, runUid, maxBytes) -> new Missing("no output store is configured");

  /**
   * Reads the beginning of a run's stored output, bounded in time.
   *
   * @param maxBytes how much at most
   */
  Stored read(String namespace, String runUid, int maxBytes) throws InterruptedException;

  /** What was read. */
  sealed interface Stored {}

  /** The first bytes of the output. */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read once, never compared.
  record Bytes(byte[] bytes) implements Stored {}

  /**
   * Nothing.
   *
   * @param why in a few words, for the caller
   */
  record Missing(String why) implements Stored {}
}
