package dev.assay.jvm.export;

/** The formats of an export. */
enum ExportFormat {
  CSV,
  JSON,
  PARQUET,
  XLSX
}
