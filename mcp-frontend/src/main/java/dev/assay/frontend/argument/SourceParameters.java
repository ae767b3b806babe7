package dev.assay.frontend.argument;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The parameters that tell where a dataset comes from, and the source that they make. */
public final class SourceParameters {
  /** Of data that comes with the call. */
  public static final Limit INLINE_LIMIT =
      new Limit(
          Bounds.MAX_INLINE_BYTES,
          "Upload larger data with PUT /api/v1/datasets/NAME, or put it on a volume and use"
              + " 'volume' and 'path'");

  private static final Set<DatasetFormat> STREAMED =
      Set.of(DatasetFormat.CSV, DatasetFormat.TSV, DatasetFormat.NDJSON, DatasetFormat.PARQUET);

  private static final int MAX_PATH = 1024;
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Limit PATH_LIMIT = new Limit(4 * MAX_PATH);

  public static final Parameter<Optional<String>> VOLUME =
      Parameter.optional("volume", ArgumentTypes.label());

  public static final Parameter<Optional<String>> PATH =
      Parameter.optional(
              "path",
              new ArgumentType<>(ArgumentTypes.text(PATH_LIMIT).schema(), SourceParameters::path))
          .describedAs("File; of Parquet also folder or pattern");

  public static final Parameter<Optional<DatasetFormat>> FORMAT =
      Parameter.optional(
              "format",
              ArgumentTypes.choice(KnownValues.of(DatasetFormat.class), DatasetFormat::wireName))
          .describedAs("By default csv, or that of the extension");

  public static final Parameter<Optional<DatasetCompression>> COMPRESSION =
      Parameter.optional(
          "compression",
          ArgumentTypes.choice(
              KnownValues.of(DatasetCompression.class), DatasetCompression::wireName));

  public static final Parameter<Optional<Map<String, JsonNode>>> OPTIONS =
      Parameter.optional("options", ReaderOptions.TYPE).describedAs("Of the pandas reader");

  public static final Parameter<Optional<Boolean>> FRAME =
      Parameter.optional("frame", ArgumentTypes.flag())
          .describedAs("false: data beyond memory, without df");

  private SourceParameters() {}

  /** The name of a dataset, a valid one. */
  public static ArgumentType<String> datasetName() {
    return new ArgumentType<>(
            ArgumentTypes.text(NAME_LIMIT).schema(), SourceParameters::datasetName)
        .with("minLength", 1)
        .with("maxLength", Bounds.MAX_LABEL);
  }

  private static String datasetName(String argument, Object value) {
    String name = ArgumentTypes.text(NAME_LIMIT).reader().read(argument, value);
    if (!DatasetName.isValid(name)) {
      throw BadArgumentException.value(
          "'"
              + argument
              + "' must have 1 to 63 letters, digits, '_', '-', '.' or spaces, and begin and"
              + " end with a letter or digit");
    }
    return name;
  }

  /** The data itself, as text. */
  public static Parameter<Optional<String>> inlineText(String name) {
    return Parameter.optional(name, ArgumentTypes.text(INLINE_LIMIT));
  }

  /**
   * Text, or a file on a volume; exactly one of them is given.
   *
   * @param textParameter what has the text
   */
  public static DatasetSource textOrFile(
      Arguments arguments, Parameter<Optional<String>> textParameter) {
    requireVolumeWithPath(arguments);
    Optional<DatasetFormat> format = arguments.get(FORMAT);
    DatasetSource source =
        arguments.has(textParameter)
            ? text(arguments, textParameter, format.orElse(DatasetFormat.CSV))
            : volume(arguments, format);
    return withOptions(source, arguments);
  }

  /**
   * Bytes that come with the call, beside its arguments.
   *
   * @param told the format, where something else than the arguments tells it
   * @param packed the compression, likewise; what the arguments tell comes first
   */
  public static DatasetSource upload(
      Arguments arguments,
      Optional<DatasetFormat> told,
      Optional<DatasetCompression> packed,
      UploadSource upload) {
    DatasetFormat format =
        arguments
            .get(FORMAT)
            .or(() -> told)
            .orElseThrow(
                () ->
                    BadArgumentException.value(
                        "'format' is missing: name one of "
                            + KnownValues.of(DatasetFormat.class).stream()
                                .map(DatasetFormat::wireName)
                                .collect(Collectors.joining(", "))));
    return withOptions(DatasetSource.upload(format, packed.orElse(null), upload), arguments);
  }

  private static DatasetSource withOptions(DatasetSource source, Arguments arguments) {
    boolean frame = arguments.get(FRAME).orElse(true);
    if (!frame && !STREAMED.contains(source.format())) {
      throw BadArgumentException.value(
          "'frame' can be false for csv, tsv, ndjson and parquet, not for "
              + source.format().wireName());
    }
    return source
        .withOptions(arguments.get(OPTIONS).filter(options -> !options.isEmpty()).orElse(null))
        .withFrame(arguments.get(FRAME).orElse(null));
  }

  private static DatasetSource text(
      Arguments arguments, Parameter<Optional<String>> textParameter, DatasetFormat format) {
    if (!format.isText()) {
      throw BadArgumentException.value(
          "'"
              + textParameter.name()
              + "' is csv, tsv, json or ndjson; "
              + format.wireName()
              + " comes from a 'volume'");
    }
    return DatasetSource.inline(format, arguments.require(textParameter));
  }

  /** Refuses a path without the volume that it is on. */
  public static void requireVolumeWithPath(Arguments arguments) {
    if (arguments.has(PATH) && !arguments.has(VOLUME)) {
      throw BadArgumentException.value("'path' belongs to 'volume'");
    }
  }

  private static DatasetSource volume(Arguments arguments, Optional<DatasetFormat> format) {
    String volume = arguments.require(VOLUME);
    String path = arguments.require(PATH);
    return DatasetSource.volume(
        format
            .or(() -> DatasetFileType.of(path).map(DatasetFileType::format))
            .orElseThrow(SourceParameters::unknownEnding),
        DatasetFileType.compression(path).orElse(null),
        new VolumeSource(volume, path));
  }

  private static String path(String argument, Object value) {
    String path = ArgumentTypes.text(PATH_LIMIT).reader().read(argument, value);
    boolean plain =
        !path.isEmpty()
            && path.length() <= MAX_PATH
            && Arrays.stream(path.split("/", -1))
                .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
    if (!plain) {
      throw BadArgumentException.value(
          "'path' must be relative to the volume, without '.', '..' and empty parts");
    }
    return path;
  }

  private static BadArgumentException unknownEnding() {
    return BadArgumentException.value(
        "'path' ends in none of " + DatasetFileType.ENDINGS + ": give 'format'");
  }
}
