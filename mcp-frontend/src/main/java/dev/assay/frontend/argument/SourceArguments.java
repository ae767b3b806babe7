package dev.assay.frontend.argument;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The arguments that tell where a dataset comes from. */
public final class SourceArguments {
  /** Of data that comes with the call. */
  public static final Limit INLINE_LIMIT =
      new Limit(
          Bounds.MAX_INLINE_BYTES,
          "Upload larger data with PUT /api/v1/datasets/NAME, or put it on a volume and use"
              + " 'volume' and 'path'");

  private static final int MAX_PATH = 1024;
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Limit PATH_LIMIT = new Limit(4 * MAX_PATH);
  private static final Limit CHOICE_LIMIT = new Limit(64);

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

  /**
   * Bytes that come with the call, beside its arguments.
   *
   * @param told the format, where something else than the arguments tells it
   * @param packed the compression, likewise
   */
  public static DatasetSource upload(
      Arguments arguments,
      Optional<DatasetFormat> told,
      Optional<DatasetCompression> packed,
      UploadSource upload) {
    DatasetFormat format =
        format(arguments)
            .or(() -> told)
            .orElseThrow(
                () ->
                    BadArgumentException.value(
                        "'format' is missing: name one of "
                            + names(DatasetFormat.values(), DatasetFormat::wireName)));
    return DatasetSource.upload(
            format, compression(arguments).or(() -> packed).orElse(null), upload)
        .withOptions(ReaderOptions.of(arguments));
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
    return choice(arguments, "format", DatasetFormat.values(), DatasetFormat::wireName);
  }

  private static Optional<DatasetCompression> compression(Arguments arguments) {
    return choice(
        arguments, "compression", DatasetCompression.values(), DatasetCompression::wireName);
  }

  private static <T> Optional<T> choice(
      Arguments arguments, String argument, T[] all, Function<T, String> wireName) {
    return arguments
        .optionalText(argument, CHOICE_LIMIT)
        .map(
            name ->
                Arrays.stream(all)
                    .filter(one -> wireName.apply(one).equals(name))
                    .findFirst()
                    .orElseThrow(
                        () ->
                            BadArgumentException.value(
                                "'" + argument + "' must be one of " + names(all, wireName))));
  }

  private static <T> String names(T[] all, Function<T, String> wireName) {
    return Arrays.stream(all).map(wireName).collect(Collectors.joining(", "));
  }
}
