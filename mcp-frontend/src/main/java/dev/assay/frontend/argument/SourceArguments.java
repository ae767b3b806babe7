package dev.assay.frontend.argument;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.VolumeSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** The arguments that tell where a dataset comes from. */
public final class SourceArguments {
  /** Of data that comes with the call. */
  public static final Limit INLINE_LIMIT =
      new Limit(Bounds.MAX_INLINE_BYTES, "Put larger data on a volume and use 'volume' and 'path'");

  private static final int MAX_PATH = 1024;
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Limit PATH_LIMIT = new Limit(4 * MAX_PATH);
  private static final Limit FORMAT_LIMIT = new Limit(64);

  private SourceArguments() {}

  /** The name of a dataset, a valid one. */
  public static String datasetName(Arguments arguments, String argument) {
    String name = arguments.text(argument, NAME_LIMIT);
    if (!DatasetName.isValid(name)) {
      throw BadArgumentException.value(
          "'"
              + argument
              + "' must have 1 to 63 letters, digits, '_', '-', '.' or spaces, and begin and"
              + " end with a letter or digit");
    }
    return name;
  }

  /**
   * Text, or a file on a volume; exactly one of them is given.
   *
   * @param textArgument the name of the argument that has text
   */
  public static DatasetSource textOrFile(Arguments arguments, String textArgument) {
    requireVolumeWithPath(arguments);
    Optional<DatasetFormat> format = format(arguments);
    DatasetSource source =
        arguments.has(textArgument)
            ? text(arguments, textArgument, format.orElse(DatasetFormat.CSV))
            : volume(arguments, format);
    return source.withOptions(ReaderOptions.of(arguments));
  }

  private static DatasetSource text(
      Arguments arguments, String textArgument, DatasetFormat format) {
    if (!format.isText()) {
      throw BadArgumentException.value(
          "'"
              + textArgument
              + "' is csv, tsv, json or ndjson; "
              + format.wireName()
              + " comes from a 'volume'");
    }
    return DatasetSource.inline(format, arguments.text(textArgument, INLINE_LIMIT));
  }

  /** Refuses a path without the volume that it is on. */
  public static void requireVolumeWithPath(Arguments arguments) {
    if (arguments.has("path") && !arguments.has("volume")) {
      throw BadArgumentException.value("'path' belongs to 'volume'");
    }
  }

  private static DatasetSource volume(Arguments arguments, Optional<DatasetFormat> format) {
    String volume = arguments.label("volume");
    String path = arguments.text("path", PATH_LIMIT);
    boolean plain =
        !path.isEmpty()
            && path.length() <= MAX_PATH
            && Arrays.stream(path.split("/", -1))
                .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
    if (!plain) {
      throw BadArgumentException.value(
          "'path' must be relative to the volume, without '.', '..' and empty parts");
    }
    return DatasetSource.volume(
        format
            .or(() -> DatasetFileType.of(path).map(DatasetFileType::format))
            .orElseThrow(SourceArguments::unknownEnding),
        DatasetFileType.compression(path).orElse(null),
        new VolumeSource(volume, path));
  }

  private static BadArgumentException unknownEnding() {
    return BadArgumentException.value(
        "'path' ends in none of " + DatasetFileType.ENDINGS + ": give 'format'");
  }

  private static Optional<DatasetFormat> format(Arguments arguments) {
    return arguments
        .optionalText("format", FORMAT_LIMIT)
        .map(
            name ->
                Arrays.stream(DatasetFormat.values())
                    .filter(format -> format.wireName().equals(name))
                    .findFirst()
                    .orElseThrow(
                        () ->
                            BadArgumentException.value(
                                "'format' must be one of "
                                    + Arrays.stream(DatasetFormat.values())
                                        .map(DatasetFormat::wireName)
                                        .collect(Collectors.joining(", ")))));
  }
}
