package dev.assay.operator.output;

/**
 * How much the definitions of the tools of a namespace may take: whoever may create tool servers
 * there chooses what is stored, and all namespaces share the volume.
 */
record DefinitionLimit(long maxBytes) {
  static final DefinitionLimit DEFAULT = new DefinitionLimit(256L << 20);

  /** A file takes whole blocks: without them, very many small ones would fill the volume. */
  private static final int BLOCK_BYTES = 4096;

  /** What a definition counts. */
  static long counted(long bytes) {
    return Math.ceilDiv(Math.max(1, bytes), BLOCK_BYTES) * BLOCK_BYTES;
  }

  /**
   * Checks what is stored and what is to be stored.
   *
   * @param counted of all of them
   */
  void check(long counted) throws DefinitionLimitException {
    if (counted > maxBytes) {
      throw new DefinitionLimitException(maxBytes);
    }
  }
}
