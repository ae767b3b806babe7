package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.InlineSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.run.Text;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** From the arguments of {@code load_dataset} to a source. */
final class LoadArguments {
  static final List<String> NAMES =
      List.of("dataset_name", "records", "text", "volume", "path", "format", "replace");

  private static final int MAX_PATH = 1024;
  private static final Limit INLINE_LIMIT =
      new Limit(Bounds.MAX_INLINE_BYTES, "Put larger data on a volume and use 'volume' and 'path'");
  private static final Limit VOLUME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Limit PATH_LIMIT = new Limit(4 * MAX_PATH);
  private static final Limit FORMAT_LIMIT = new Limit(64);

  private static final JsonMapper JSON = JsonMapper.shared();

  private LoadArguments() {}

  static DatasetSource source(Arguments arguments) {
    long sources = Stream.of("records", "text", "volume").filter(arguments::has).count();
    if (sources != 1) {
      throw BadArgumentException.value(
          "give exactly one of 'records', 'text' and 'volume'"
              + (sources == 0 ? "; none was given" : ""));
    }
    Optional<DatasetFormat> format = format(arguments);
    if (arguments.has("path") && !arguments.has("volume")) {
      throw BadArgumentException.value("'path' belongs to 'volume'");
    }
    if (arguments.has("records")) {
      if (format.isPresent()) {
        throw BadArgumentException.value(
            "'format' belongs to 'text' and 'volume', not to 'records'");
      }
      return inline(DatasetFormat.JSON, records(arguments));
    }
    if (arguments.has("text")) {
      if (format.isPresent() && format.get() == DatasetFormat.PARQUET) {
        throw BadArgumentException.value("'text' is csv or json; Parquet comes from a 'volume'");
      }
      return inline(format.orElse(DatasetFormat.CSV), arguments.text("text", INLINE_LIMIT));
    }
    return volume(arguments, format);
  }

  private static DatasetSource inline(DatasetFormat format, String text) {
    return new DatasetSource(format, new InlineSource(text), null);
  }

  /** Members keep their order, and numbers the form they came in. */
  private static String records(Arguments arguments) {
    List<?> records = arguments.optionalList("records", INLINE_LIMIT).orElseThrow();
    for (int i = 0; i < records.size(); i++) {
      Object record = records.get(i);
      if (record == null) {
        throw BadArgumentException.type("'records[" + i + "]' must be an object, not null");
      }
      if (!(record instanceof Map<?, ?>)) {
        throw Arguments.wrongType("records[" + i + "]", "an object", record);
      }
    }
    String json = JSON.writeValueAsString(records);
    int bytes = Text.bytes(json);
    if (bytes > INLINE_LIMIT.bytes()) {
      throw BadArgumentException.tooLong("records", bytes, INLINE_LIMIT);
    }
    return json;
  }

  private static DatasetSource volume(Arguments arguments, Optional<DatasetFormat> format) {
    String volume = arguments.text("volume", VOLUME_LIMIT);
    if (!volume.matches(Bounds.LABEL_PATTERN)) {
      throw BadArgumentException.value(
          "'volume' must be a name of lower-case letters, digits and '-'");
    }
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
    return new DatasetSource(
        format.or(() -> formatOf(path)).orElseThrow(LoadArguments::unknownEnding),
        null,
        new VolumeSource(volume, path));
  }

  private static BadArgumentException unknownEnding() {
    return BadArgumentException.value(
        "'path' ends in none of .csv, .json and .parquet: give 'format'");
  }

  private static Optional<DatasetFormat> formatOf(String path) {
    String lower = path.toLowerCase(Locale.ROOT);
    return Arrays.stream(DatasetFormat.values())
        .filter(format -> lower.endsWith("." + format.wireName()))
        .findFirst();
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
