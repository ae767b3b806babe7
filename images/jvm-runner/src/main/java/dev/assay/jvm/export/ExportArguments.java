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
 * @param destination a folder, relative to the working directory
 * @param filename with or without the extension of the format
 * @param partitionBy columns whose values are folders; empty for one file
 */
record ExportArguments(
    ExportFormat format,
    Path destination,
    String filename,
    Compression compression,
    List<String> partitionBy) {
  private static final List<String> NAMES =
      List.of("format", "destination", "filename", "compression", "partitionBy");
  private static final int MAX_NAME_BYTES = 128;

  ExportArguments {
    partitionBy = List.copyOf(partitionBy);
  }

  static ExportArguments parse(@Nullable String json) throws JobFailure {
    Arguments arguments = Arguments.parse(json, NAMES);
    ExportFormat format = arguments.choice("format", ExportFormat.PARQUET, ExportFormat.values());
    String destination = arguments.optionalText("destination");
    String filename = arguments.optionalText("filename");
    List<String> partitionBy = arguments.optionalTexts("partitionBy");
    ExportArguments parsed =
        new ExportArguments(
            format,
            destination(destination == null ? "exports" : destination),
            filename == null ? "result" : filename,
            arguments.choice("compression", usual(format), Compression.values()),
            partitionBy == null ? List.of() : partitionBy);
    parsed.validate();
    return parsed;
  }

  private static Compression usual(ExportFormat format) {
    return format == ExportFormat.PARQUET ? Compression.SNAPPY : Compression.NONE;
  }

  private static Path destination(String text) throws JobFailure {
    try {
      Path path = Path.of(text);
      boolean leaves = path.isAbsolute() || path.startsWith("..") || !path.normalize().equals(path);
      if (!leaves && text.codePoints().noneMatch(Character::isISOControl)) {
        return path;
      }
    } catch (InvalidPathException e) {
      // The same answer.
    }
    throw Arguments.invalid(
        "Argument 'destination' is %s: pass a folder within the working directory, such as exports"
            .formatted(Arguments.shown(text)));
  }

  private void validate() throws JobFailure {
    boolean isName =
        !filename.isBlank()
            && !filename.startsWith(".")
            && filename.length() <= MAX_NAME_BYTES
            && filename.codePoints().noneMatch(c -> c == '/' || Character.isISOControl(c));
    if (!isName) {
      throw Arguments.invalid(
          ("Argument 'filename' is %s: pass the name of a file of at most %d characters, without a"
                  + " folder")
              .formatted(Arguments.shown(filename), MAX_NAME_BYTES));
    }
    if (compression == Compression.SNAPPY && format != ExportFormat.PARQUET) {
      throw Arguments.invalid(
          "Argument 'compression' is snappy, which only parquet has: pass none, gzip or zstd");
    }
    if (format == ExportFormat.XLSX && !partitionBy.isEmpty()) {
      throw Arguments.invalid(
          "Argument 'partitionBy' is not for the format xlsx: leave it out, or choose another"
              + " format");
    }
  }

  /** The name of the file, with the extensions of its format and compression. */
  String name() {
    String suffix = suffix();
    return filename.endsWith(suffix) ? filename : stem() + suffix;
  }

  /** The name of the folder of a partitioned export. */
  String folderName() {
    return stem();
  }

  /** What the names of all its files end with. */
  String suffix() {
    boolean isWhole = format == ExportFormat.CSV || format == ExportFormat.JSON;
    return '.' + format.extension() + (isWhole ? compression.suffix() : "");
  }

  private String stem() {
    for (String suffix : List.of(suffix(), '.' + format.extension())) {
      if (filename.endsWith(suffix) && filename.length() > suffix.length()) {
        return filename.substring(0, filename.length() - suffix.length());
      }
    }
    return filename;
  }
}
