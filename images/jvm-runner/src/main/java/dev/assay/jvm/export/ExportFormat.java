package dev.assay.jvm.export;

/** The formats of an export. */
enum ExportFormat {
  CSV("csv"),
  JSON("json"),
  PARQUET("parquet"),
  XLSX("xlsx");

  private final String extension;

  ExportFormat(String extension) {
    this.extension = extension;
  }

  /** What the name of a file ends with. */
  String extension() {
    return extension;
  }
}
