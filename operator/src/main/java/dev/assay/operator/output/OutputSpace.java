package dev.assay.operator.output;

/**
 * How much room a store has.
 *
 * @param usableBytes that can still be stored
 * @param totalBytes that the store has, including those that are taken
 */
public record OutputSpace(long usableBytes, long totalBytes) {
  private static final long MAX_RESERVE_BYTES = 256L << 20;
  private static final int SHARE_OF_RESERVE = 10;

  /** Whether artifacts of this length leave enough room for the output and the values of runs. */
  boolean hasRoomFor(long bytes) {
    long reserve = Math.min(MAX_RESERVE_BYTES, totalBytes / SHARE_OF_RESERVE);
    return bytes <= usableBytes - reserve;
  }
}
