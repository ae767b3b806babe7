package dev.assay.gateway;

/**
 * How the heap is divided. What is left is for calls with short replies, for what is known of the
 * cluster, and for the libraries.
 *
 * @param replies bytes of replies that are being read, and of the lists among them
 * @param lists bytes of the lists of tools that sessions keep
 * @param outcomes bytes of calls that were made, with their outcomes
 */
record HeapShares(long replies, long lists, long outcomes) {
  /**
   * The shares of a heap.
   *
   * @param heap its bytes
   */
  static HeapShares of(long heap) {
    return new HeapShares(heap / 2, heap / 5, heap / 10);
  }
}
