package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.job.JobFailure;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of an export.
 *
 * @param path of the file, or, of a partitioned export, of the folder; relative to the working
 *     directory
 * @param partitionBy the column whose values are folders; null for one file
 */
record ExportArguments(
    ExportFormat format, Compression compression, Path path, @Nullable String partitionBy) {
  private static final List<String> NAMES = List.of("format", "compression", "path", "partitionBy");
  private static final String USUAL_PATH = "exports/result";

  static ExportArguments parse(@Nullable String json) throws JobFailure {
    Arguments arguments = Arguments.parse(json, NAMES);
    ExportFormat format = arguments.choice("format", ExportFormat.PARQUET, ExportFormat.values());
    Compression compression = arguments.choice("compression", usual(format), Compression.values());
    String partitionBy = arguments.optionalText("partitionBy");
    String path = arguments.optionalText("path");
    ExportArguments parsed =
        new ExportArguments(
            format,
            compression,
            path(path == null ? usualPath(format, compression, partitionBy) : path),
            partitionBy);
    parsed.validate();
    return parsed;
  }

  private static Compression usual(ExportFormat format) {
    return format == ExportFormat.PARQUET ? Compression.SNAPPY : Compression.NONE;
  }

  private static String usualPath(
      ExportFormat format, Compression compression, @Nullable String partitionBy) {
    return partitionBy == null ? USUAL_PATH + '.' + extension(format, compression) : USUAL_PATH;
  }

  private static String extension(ExportFormat format, Compression compression) {
    boolean isWhole = format == ExportFormat.CSV || format == ExportFormat.JSON;
    return Arguments.nameOf(format) + (isWhole ? compression.suffix() : "");
  }

  private static Path path(String text) throws JobFailure {
    try {
      Path path = Path.of(text);
      boolean leaves =
          path.isAbsolute() || path.startsWith("..") || !path.normalize().toString().equals(text);
      if (!leaves && !text.isEmpty() && text.codePoints().noneMatch(Character::isISOControl)) {
        return path;
      }
    } catch (InvalidPathException e) {
      // The same answer.
    }
    throw Arguments.invalid(
        "Argument 'path' is %s: pass a path within the working directory, such as %s.csv"
            .formatted(Arguments.shown(text), USUAL_PATH));
  }

  private void validate() throws JobFailure {
    if (compression == Compression.SNAPPY && format != ExportFormat.PARQUET) {
      throw Arguments.invalid(
          "Argument 'compression' is snappy, which only parquet has: pass none, gzip or zstd");
    }
    if (format == ExportFormat.XLSX && compression != Compression.NONE) {
      throw Arguments.invalid(
          "Argument 'compression' is not for the format xlsx, which is compressed: leave it out");
    }
    if (format == ExportFormat.XLSX && partitionBy != null) {
      throw Arguments.invalid(
          "Argument 'partitionBy' is not for the format xlsx: leave it out, or choose another"
              + " format");
    }
  }

  /** What the names of the files of a partitioned export end with. */
  String extension() {
    return extension(format, compression);
  }
}
