package dev.assay.jvm.export;

/** The compressions of an export. */
enum Compression {
  NONE("uncompressed", ""),
  GZIP("gzip", ".gz"),
  SNAPPY("snappy", ""),
  ZSTD("zstd", ".zst");

  private final String codec;
  private final String suffix;

  Compression(String codec, String suffix) {
    this.codec = codec;
    this.suffix = suffix;
  }

  /** DuckDB's name of it. */
  String codec() {
    return codec;
  }

  /** What is appended to the name of a file that is compressed as a whole. */
  String suffix() {
    return suffix;
  }
}
