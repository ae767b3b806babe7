package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.SourceArguments;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.dataset.DatasetUploads;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** From the arguments of {@code load_dataset} to a source. */
final class LoadArguments {
  static final List<String> NAMES =
      List.of(
          "dataset_name",
          "records",
          "text",
          "volume",
          "path",
          "format",
          "options",
          "snapshot_class",
          "replace");

  /** What it reads is part of a request, whose length is bounded. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
                  .build())
          .build();

  /** The text as it came, and as the API server returned it, in UTF-16. */
  private static final long HEAP_PER_INLINE_CHAR = 4;

  private LoadArguments() {}

  /**
   * What is to be loaded.
   *
   * @param source where it comes from
   * @param upload the bytes, where they are too many for the object itself
   */
  record Load(DatasetSource source, Optional<HeldBytes> upload) {
    /** About what it takes in memory. */
    long heapBytes() {
      return upload
          .map(HeldBytes::heapBytes)
          .orElseGet(
              () ->
                  Optional.ofNullable(source.inline())
                      .map(inline -> HEAP_PER_INLINE_CHAR * inline.text().length())
                      .orElse(0L));
    }
  }

  static Load load(Arguments arguments) {
    long sources = Stream.of("records", "text", "volume").filter(arguments::has).count();
    if (sources != 1) {
      throw BadArgumentException.value(
          "give exactly one of 'records', 'text' and 'volume'"
              + (sources == 0 ? "; none was given" : ""));
    }
    Optional<OversizedValue> longText =
        arguments.optionalOversized("text", OversizedValue.Kind.TEXT);
    if (longText.isPresent()) {
      SourceArguments.requireVolumeWithPath(arguments);
      return upload(arguments, DatasetFormat.CSV, text(longText.get()));
    }
    if (!arguments.has("records")) {
      return new Load(SourceArguments.textOrFile(arguments, "text"), Optional.empty());
    }
    SourceArguments.requireVolumeWithPath(arguments);
    for (String name : List.of("format", "options")) {
      if (arguments.has(name)) {
        throw BadArgumentException.value(
            "'" + name + "' belongs to 'text' and 'volume', not to 'records'");
      }
    }
    Optional<OversizedValue> longRecords =
        arguments.optionalOversized("records", OversizedValue.Kind.ARRAY);
    if (longRecords.isPresent()) {
      OversizedValue records = longRecords.get();
      return upload(
          arguments,
          DatasetFormat.JSON,
          new HeldBytes(records.body(), records.start(), records.length()));
    }
    String records = records(arguments);
    byte[] bytes = records.getBytes(UTF_8);
    return bytes.length > SourceArguments.INLINE_LIMIT.bytes()
        ? upload(arguments, DatasetFormat.JSON, new HeldBytes(bytes))
        : new Load(DatasetSource.inline(DatasetFormat.JSON, records), Optional.empty());
  }

  private static Load upload(Arguments arguments, DatasetFormat otherwise, HeldBytes bytes) {
    DatasetSource source =
        SourceArguments.upload(
            arguments,
            Optional.of(otherwise),
            Optional.empty(),
            DatasetUploads.announce(bytes.available()));
    return new Load(source, Optional.of(bytes));
  }

  private static HeldBytes text(OversizedValue value) {
    String text = JSON.readValue(value.body(), value.start(), value.length(), String.class);
    Arguments.requireUnicode("text", text);
    return new HeldBytes(text.getBytes(UTF_8));
  }

  /** Members keep their order, and numbers the form they came in. */
  private static String records(Arguments arguments) {
    List<?> records = arguments.optionalList("records", SourceArguments.INLINE_LIMIT).orElseThrow();
    for (int i = 0; i < records.size(); i++) {
      Object record = records.get(i);
      if (record == null) {
        throw BadArgumentException.type("'records[" + i + "]' must be an object, not null");
      }
      if (!(record instanceof Map<?, ?>)) {
        throw Arguments.wrongType("records[" + i + "]", "an object", record);
      }
    }
    return JSON.writeValueAsString(records);
  }
}
