package dev.assay.operator.run.status;

import java.util.Locale;
import java.util.Map;

/** The media types of artifacts, by the extensions of their names: nobody looks into them. */
final class MediaTypes {
  private static final String UNKNOWN = "application/octet-stream";

  private static final Map<String, String> BY_EXTENSION =
      Map.ofEntries(
          Map.entry("arrow", "application/vnd.apache.arrow.file"),
          Map.entry("bmp", "image/bmp"),
          Map.entry("css", "text/css"),
          Map.entry("csv", "text/csv"),
          Map.entry("err", "text/plain"),
          Map.entry("feather", "application/vnd.apache.arrow.file"),
          Map.entry("gif", "image/gif"),
          Map.entry("gz", "application/gzip"),
          Map.entry("htm", "text/html"),
          Map.entry("html", "text/html"),
          Map.entry("ipynb", "application/x-ipynb+json"),
          Map.entry("jpeg", "image/jpeg"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("json", "application/json"),
          Map.entry("jsonl", "application/x-ndjson"),
          Map.entry("log", "text/plain"),
          Map.entry("md", "text/markdown"),
          Map.entry("ndjson", "application/x-ndjson"),
          Map.entry("parquet", "application/vnd.apache.parquet"),
          Map.entry("pdf", "application/pdf"),
          Map.entry("png", "image/png"),
          Map.entry("py", "text/x-python"),
          Map.entry("sql", "application/sql"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("tsv", "text/tab-separated-values"),
          Map.entry("txt", "text/plain"),
          Map.entry("webp", "image/webp"),
          Map.entry("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
          Map.entry("xml", "application/xml"),
          Map.entry("yaml", "application/yaml"),
          Map.entry("yml", "application/yaml"),
          Map.entry("zip", "application/zip"));

  private MediaTypes() {}

  /** The media type of a file with this path. */
  static String of(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return dot < 1
        ? UNKNOWN
        : BY_EXTENSION.getOrDefault(name.substring(dot + 1).toLowerCase(Locale.ROOT), UNKNOWN);
  }
}
