package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of a dataset come from, and how to read them. Has exactly one of inline, volume
 * and upload.
 *
 * @param format format of the source
 * @param compression compression of the source; absent if it is not compressed
 * @param options options of the pandas reader of the format, by pandas' names
 * @param frame whether pandas reads the source and keeps it as a frame. With false there is no
 *     {@code df}: SQL, Polars and the files in /workspace read it, so that it may be larger than
 *     memory. By default it depends on the class's {@code source.frameBytes}
 * @param untrusted whether it may contain content of tool servers: replies about it, and about runs
 *     that read it, are marked
 * @param inline a small table in the object itself
 * @param volume a file on a volume that the platform declared for the namespace, or a folder of
 *     Parquet files
 * @param upload bytes that are sent to {@code PUT /api/v1/datasets/NAME}, which writes this
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "(has(self.inline) ? 1 : 0) + (has(self.volume) ? 1 : 0) + (has(self.upload) ? 1 : 0) == 1",
    message = "exactly one of inline, volume and upload must be set")
@ValidationRule(
    value = "!(has(self.inline) && self.format in ['parquet', 'feather', 'excel'])",
    message =
        "inline data is text: use csv, tsv, json or ndjson, or put the file on a volume or upload"
            + " it")
@ValidationRule(
    value = "!(has(self.inline) && has(self.compression))",
    message = "inline data is text, and not compressed")
@ValidationRule(
    value = "!has(self.frame) || self.frame || self.format in ['csv', 'tsv', 'ndjson', 'parquet']",
    message = "only csv, tsv, ndjson and parquet can be read without a frame")
public record DatasetSource(
    @Required DatasetFormat format,
    @Nullable DatasetCompression compression,
    @Nullable Map<String, JsonNode> options,
    @Nullable Boolean frame,
    @Nullable Boolean untrusted,
    @Nullable InlineSource inline,
    @Nullable VolumeSource volume,
    @Nullable UploadSource upload)
    implements DatasetSourceBuilder.With {

  /** Whether it is one that this version can read. */
  boolean understood() {
    return (inline != null || volume != null || upload != null)
        && format != DatasetFormat.UNKNOWN
        && compression != DatasetCompression.UNKNOWN;
  }

  /** Text of a format, read as pandas does by default. */
  public static DatasetSource inline(DatasetFormat format, String text) {
    return DatasetSourceBuilder.builder().format(format).inline(new InlineSource(text)).build();
  }

  /** A file on a volume, read as pandas does by default. */
  public static DatasetSource volume(
      DatasetFormat format, @Nullable DatasetCompression compression, VolumeSource file) {
    return DatasetSourceBuilder.builder()
        .format(format)
        .compression(compression)
        .volume(file)
        .build();
  }

  /** Bytes that are sent beside the object, read as pandas does by default. */
  public static DatasetSource upload(
      DatasetFormat format, @Nullable DatasetCompression compression, UploadSource upload) {
    return DatasetSourceBuilder.builder()
        .format(format)
        .compression(compression)
        .upload(upload)
        .build();
  }
}
