package dev.assay.api.v1alpha1;

/** The files that a kept frame is stored as. */
public enum FrameFile {
  /** As pandas had it, which Python reads. */
  ARROW(".arrow"),

  /** As a table, which SQL and Polars read. */
  PARQUET(".parquet");

  /** The folder of kept frames below a run's working directory. */
  public static final String FOLDER = "frames";

  private final String extension;

  FrameFile(String extension) {
    this.extension = extension;
  }

  /** The name in the protocol. */
  public String wireName() {
    return extension.substring(1);
  }

  /** The end of the file's name. */
  public String extension() {
    return extension;
  }

  /** How the file with a path stores its frame. */
  public static FrameFile ofPath(String path) {
    return path.endsWith(ARROW.extension) ? ARROW : PARQUET;
  }

  /** What code of a language reads, if it is there. */
  public static FrameFile of(Language language) {
    return language == Language.PYTHON ? ARROW : PARQUET;
  }
}
