package dev.assay.frontend.call;

/** The memory that one call takes of what all calls have. */
public interface CallMemory {
  /** Memory that nobody counts. */
  CallMemory UNCOUNTED =
      new CallMemory() {
        @Override
        public void releaseRequest(long bytes) {
          // Nobody counts it.
        }

        @Override
        public boolean reserveReply(long bytes) {
          return true;
        }
      };

  /**
   * Gives the memory of the request back. Its arguments are gone then: whoever needs something of
   * them holds it already.
   *
   * @param bytes of heap that are still needed
   */
  void releaseRequest(long bytes);

  /**
   * Waits until there is memory for the reply, until it has been sent.
   *
   * @param bytes of heap
   * @return whether there is; otherwise other replies have not been read in time
   */
  boolean reserveReply(long bytes) throws InterruptedException;
}
