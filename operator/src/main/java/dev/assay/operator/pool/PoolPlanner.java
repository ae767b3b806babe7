package dev.assay.operator.pool;

/** How many Pods a pool starts, from what it has. */
final class PoolPlanner {
  /** Starts at once: more would take the processor from each other, and from runs. */
  static final int MAX_STARTING = 4;

  private PoolPlanner() {}

  /**
   * The number of Pods to create now.
   *
   * @param wanted how many are to be idle
   * @param idle how many are
   * @param starting how many were created and are not idle yet
   */
  static int toCreate(int wanted, int idle, int starting) {
    return Math.max(0, Math.min(wanted - idle - starting, MAX_STARTING - starting));
  }
}
