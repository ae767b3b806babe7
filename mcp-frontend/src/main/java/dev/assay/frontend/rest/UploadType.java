package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the headers of a request tell of the file in its body. */
final class UploadType {
  private static final Map<String, DatasetFormat> FORMATS =
      Map.of(
          "text/csv", DatasetFormat.CSV,
          "text/tab-separated-values", DatasetFormat.TSV,
          "application/json", DatasetFormat.JSON,
          "application/x-ndjson", DatasetFormat.NDJSON,
          "application/jsonl", DatasetFormat.NDJSON,
          "application/vnd.apache.parquet", DatasetFormat.PARQUET,
          "application/vnd.apache.arrow.file", DatasetFormat.FEATHER,
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", DatasetFormat.EXCEL);

  /** Types that say nothing; the last one is what curl says of any bytes. */
  private static final Set<String> UNTOLD =
      Set.of("", "application/octet-stream", "application/x-www-form-urlencoded");

  private static final Set<String> ENCODINGS = Set.of("gzip", "x-gzip");

  private UploadType() {}

  /**
   * The format; empty where nothing is said.
   *
   * @throws RestException where something is said that is no table
   */
  static Optional<DatasetFormat> format(RawBody body) {
    if (UNTOLD.contains(body.mediaType())) {
      return Optional.empty();
    }
    DatasetFormat format = FORMATS.get(body.mediaType());
    if (format == null) {
      throw RestException.unsupported(
          body.mediaType().startsWith("multipart/")
              ? "Send the file itself as the body, and not a form: curl -T FILE"
              : "Content-Type must be application/octet-stream with the parameter 'format', or one"
                  + " of "
                  + String.join(", ", FORMATS.keySet().stream().sorted().toList()));
    }
    if (body.charset().filter(name -> !name.matches("(?i)utf-?8")).isPresent()) {
      throw RestException.unsupported(
          "Name the encoding of text by the parameter 'options', such as {\"encoding\":"
              + " \"latin-1\"}, and not in Content-Type");
    }
    return Optional.of(format);
  }

  /**
   * The compression; empty where nothing is said.
   *
   * @throws RestException where another is said than can be read
   */
  static Optional<DatasetCompression> compression(RawBody body) {
    return body.encoding()
        .filter(encoding -> !encoding.equals("identity"))
        .map(
            encoding -> {
              if (!ENCODINGS.contains(encoding)) {
                throw RestException.unsupported("Content-Encoding must be gzip");
              }
              return DatasetCompression.GZIP;
            });
  }
}
