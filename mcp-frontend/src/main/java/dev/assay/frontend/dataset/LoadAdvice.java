package dev.assay.frontend.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.run.Text;
import java.util.Map;
import java.util.Optional;

/** What to do about a dataset that was not loaded, or not as its owner meant it. */
public final class LoadAdvice {
  private static final int MAX_VALUE = 1024;
  private static final String CORRECT =
      "Correct what the error names, in the source or in the arguments";
  private static final String UPLOAD =
      "Upload the file again with 'assay datasets load NAME FILE --replace' or PUT"
          + " /api/v1/datasets/NAME";
  private static final ObjectMapper JSON = new ObjectMapper();

  private LoadAdvice() {}

  /** Where a dataset that failed comes from, and how to load it again. */
  public static String again(Dataset dataset, DatasetState.Failed failed) {
    DatasetSource source = dataset.getSpec().source();
    return "Source: " + origin(source) + ". " + next(dataset, source, failed.isCorrectable());
  }

  private static String next(Dataset dataset, DatasetSource source, boolean isCorrectable) {
    // Bytes that are no text are not an argument.
    if (source.upload() != null && !source.format().isText()) {
      return (isCorrectable ? CORRECT + ". " : "") + UPLOAD + ".";
    }
    return (isCorrectable ? CORRECT + ", and call again: " : "Retry: ")
        + call(dataset, optionsOf(source));
  }

  private static String origin(DatasetSource source) {
    VolumeSource volume = source.volume();
    if (volume != null) {
      return "volume " + volume.name() + ", path " + Text.oneLine(volume.path(), MAX_VALUE);
    }
    return source.upload() == null ? "the data of the call" : "an upload";
  }

  private static Map<String, JsonNode> optionsOf(DatasetSource source) {
    Map<String, JsonNode> options = source.options();
    return options == null ? Map.of() : options;
  }

  /** The call that replaces a dataset by the same source, read with these options. */
  private static String call(Dataset dataset, Map<String, JsonNode> options) {
    DatasetSource source = dataset.getSpec().source();
    VolumeSource volume = source.volume();
    StringBuilder call =
        new StringBuilder("load_dataset(dataset_name=").append(quoted(DatasetText.nameOf(dataset)));
    if (volume != null) {
      call.append(", volume=")
          .append(quoted(volume.name()))
          .append(", path=")
          .append(quoted(volume.path()));
      Optional<DatasetFormat> ending =
          DatasetFileType.of(volume.path()).map(DatasetFileType::format);
      appendFormat(call, source, ending);
    } else {
      call.append(source.format() == DatasetFormat.JSON ? ", records=[...]" : ", text=\"...\"");
      appendFormat(
          call,
          source,
          Optional.of(
              source.format() == DatasetFormat.JSON ? DatasetFormat.JSON : DatasetFormat.CSV));
    }
    if (!options.isEmpty()) {
      String json = JSON.valueToTree(options).toString();
      call.append(", options=").append(json.length() <= MAX_VALUE ? json : "{...}");
    }
    if (source.frame() != null) {
      call.append(", frame=").append(source.frame());
    }
    return call.append(", replace=true)").toString();
  }

  private static void appendFormat(
      StringBuilder call, DatasetSource source, Optional<DatasetFormat> implied) {
    if (!implied.equals(Optional.of(source.format()))) {
      call.append(", format=").append(quoted(source.format().wireName()));
    }
  }

  private static String quoted(String text) {
    return TextNode.valueOf(Text.oneLine(text, MAX_VALUE)).toString();
  }
}
