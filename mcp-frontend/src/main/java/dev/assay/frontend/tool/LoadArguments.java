package dev.assay.frontend.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.SourceParameters;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.OversizedValue;
import dev.assay.frontend.dataset.DatasetUploads;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** From the arguments of {@code load_dataset} to a source. */
final class LoadArguments {
  private static final Parameter<String> NAME =
      Parameter.required("dataset_name", SourceParameters.datasetName());
  private static final Parameter<Optional<List<Map<?, ?>>>> RECORDS =
      Parameter.optional(
          "records",
          ArgumentTypes.listOf(
              ArgumentTypes.object(SourceParameters.INLINE_LIMIT), SourceParameters.INLINE_LIMIT));
  private static final Parameter<Optional<String>> TEXT =
      SourceParameters.inlineText("text").describedAs("A whole file");
  private static final Parameter<Optional<String>> FROM_RUN =
      Parameter.optional("from_run", ArgumentTypes.text(new Limit(Bounds.MAX_SUBDOMAIN)));
  private static final Parameter<Optional<String>> SNAPSHOT_CLASS =
      Parameter.optional("snapshot_class", ArgumentTypes.label());
  private static final Parameter<Boolean> REPLACE =
      Parameter.withDefault("replace", ArgumentTypes.flag(), false);

  static final Parameters PARAMETERS =
      Parameters.of(
          NAME,
          RECORDS,
          TEXT,
          SourceParameters.VOLUME,
          FROM_RUN,
          SourceParameters.PATH,
          SourceParameters.FORMAT,
          SourceParameters.OPTIONS,
          SourceParameters.FRAME,
          SNAPSHOT_CLASS,
          REPLACE);

  /** The one option that is not about how a text is written. */
  private static final String TYPES = "types";

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
   * @param name of the dataset
   * @param source where it comes from
   * @param upload the bytes, where they are too many for the object itself
   * @param snapshotClass what reads it; null for the usual class
   * @param replaces whether it may take the place of another
   */
  record Load(
      String name,
      DatasetSource source,
      Optional<Upload> upload,
      @Nullable String snapshotClass,
      boolean replaces) {
    /** About what it takes in memory. */
    long heapBytes() {
      return upload
          .map(Upload::heapBytes)
          .orElseGet(
              () ->
                  Optional.ofNullable(source.inline())
                      .map(inline -> HEAP_PER_INLINE_CHAR * inline.text().length())
                      .orElse(0L));
    }
  }

  /**
   * Bytes that are uploaded.
   *
   * @param heapBytes what they take in memory until they are closed
   */
  record Upload(InputStream bytes, long heapBytes) {
    static Upload of(HeldBytes bytes) {
      return new Upload(bytes, bytes.heapBytes());
    }
  }

  private record Source(DatasetSource source, Optional<Upload> upload) {}

  static Load load(Arguments arguments, ArtifactSource.Finder artifacts) {
    String name = arguments.get(NAME);
    Source source = source(arguments, artifacts);
    return new Load(
        name,
        source.source,
        source.upload,
        arguments.get(SNAPSHOT_CLASS).orElse(null),
        arguments.get(REPLACE));
  }

  private static Source source(Arguments arguments, ArtifactSource.Finder artifacts) {
    long sources =
        Stream.of(RECORDS, TEXT, SourceParameters.VOLUME, FROM_RUN).filter(arguments::has).count();
    if (sources != 1) {
      throw BadArgumentException.value(
          "give exactly one of 'records', 'text', 'volume' and 'from_run'"
              + (sources == 0 ? "; none was given" : ""));
    }
    if (arguments.has(FROM_RUN)) {
      return artifact(
          arguments,
          artifacts.find(arguments.require(FROM_RUN), arguments.require(SourceParameters.PATH)));
    }
    Optional<OversizedValue> longText = arguments.oversized(TEXT, OversizedValue.Kind.TEXT);
    if (longText.isPresent()) {
      SourceParameters.requireVolumeWithPath(arguments);
      return upload(arguments, DatasetFormat.CSV, text(longText.get()));
    }
    if (!arguments.has(RECORDS)) {
      return new Source(SourceParameters.textOrFile(arguments, TEXT), Optional.empty());
    }
    SourceParameters.requireVolumeWithPath(arguments);
    for (Parameter<?> other : List.of(SourceParameters.FORMAT, SourceParameters.FRAME)) {
      if (arguments.has(other)) {
        throw BadArgumentException.value(
            "'" + other.name() + "' belongs to 'text' and 'volume', not to 'records'");
      }
    }
    Optional<Map<String, JsonNode>> options = arguments.get(SourceParameters.OPTIONS);
    if (!Set.of(TYPES).containsAll(options.orElse(Map.of()).keySet())) {
      throw BadArgumentException.value(
          "'options' can have only '%s' beside 'records'".formatted(TYPES));
    }
    Optional<OversizedValue> longRecords = arguments.oversized(RECORDS, OversizedValue.Kind.ARRAY);
    if (longRecords.isPresent()) {
      OversizedValue records = longRecords.get();
      return upload(
          arguments,
          DatasetFormat.JSON,
          new HeldBytes(records.body(), records.start(), records.length()));
    }
    // Members keep their order, and numbers the form they came in.
    String records = JSON.writeValueAsString(arguments.require(RECORDS));
    byte[] bytes = records.getBytes(UTF_8);
    return bytes.length > SourceParameters.INLINE_LIMIT.bytes()
        ? upload(arguments, DatasetFormat.JSON, new HeldBytes(bytes))
        : new Source(
            DatasetSource.inline(DatasetFormat.JSON, records)
                .withOptions(options.filter(given -> !given.isEmpty()).orElse(null)),
            Optional.empty());
  }

  /** The format is that of the file's name, as of a file on a volume. */
  private static Source artifact(Arguments arguments, ArtifactSource.Found found) {
    String path = found.artifact().path();
    DatasetSource source =
        SourceParameters.upload(
            arguments,
            DatasetFileType.of(path).map(DatasetFileType::format),
            DatasetFileType.compression(path),
            DatasetUploads.announce(found.artifact().bytes()));
    return new Source(
        found.isUntrusted() ? source.withUntrusted(true) : source,
        Optional.of(new Upload(found.open(), 2L * ArtifactReader.PIECE)));
  }

  private static Source upload(Arguments arguments, DatasetFormat otherwise, HeldBytes bytes) {
    DatasetSource source =
        SourceParameters.upload(
            arguments,
            Optional.of(otherwise),
            Optional.empty(),
            DatasetUploads.announce(bytes.available()));
    return new Source(source, Optional.of(Upload.of(bytes)));
  }

  private static HeldBytes text(OversizedValue value) {
    String text = JSON.readValue(value.body(), value.start(), value.length(), String.class);
    ArgumentTypes.requireUnicode("text", text);
    return new HeldBytes(text.getBytes(UTF_8));
  }
}
