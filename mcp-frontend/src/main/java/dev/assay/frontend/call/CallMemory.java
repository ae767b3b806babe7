package dev.assay.frontend.call;

/** The memory that one call takes of what all calls have. */
public interface CallMemory {
  /** Memory that nobody counts. */
  CallMemory UNCOUNTED = bytes -> {};

  /**
   * Gives the memory of the request back. Its arguments are gone then: whoever needs something of
   * them holds it already.
   *
   * @param bytes of heap that are still needed
   */
  void releaseRequest(long bytes);
}
