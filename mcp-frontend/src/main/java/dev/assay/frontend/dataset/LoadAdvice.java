package dev.assay.frontend.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.SeparatorGuess;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.run.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What to do about a dataset that was not loaded, or not as its owner meant it. */
public final class LoadAdvice {
  private static final int MAX_VALUE = 1024;
  private static final int MAX_COLUMN = 60;
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

  /**
   * The hint that a table may have been read with the wrong separator, with the call that reads it
   * with another one.
   */
  public static Optional<String> separator(Dataset dataset, Snapshot snapshot) {
    List<SnapshotColumn> columns = snapshot.columns();
    if (snapshot.columnCount() != 1 || columns == null || columns.isEmpty()) {
      return Optional.empty();
    }
    SnapshotColumn only = columns.getFirst();
    List<String> samples = only.samples() == null ? List.of() : only.samples();
    return SeparatorGuess.of(only.name(), samples)
        .map(
            guess ->
                "Note: the table has one column, named '"
                    + Text.oneLine(only.name(), MAX_COLUMN)
                    + "'. If its columns are separated by "
                    + (guess.separator().equals("\t") ? "tabs" : "'" + guess.separator() + "'")
                    + ", load it again"
                    + furtherOptions(guess)
                    + ": "
                    + call(dataset, withGuess(dataset.getSpec().source(), guess)));
  }

  private static Map<String, JsonNode> withGuess(DatasetSource source, SeparatorGuess guess) {
    Map<String, JsonNode> options = new LinkedHashMap<>(optionsOf(source));
    options.remove("delimiter");
    guess.options().forEach((name, value) -> options.put(name, TextNode.valueOf(value)));
    return options;
  }

  /** What the samples do not show, but numbers elsewhere in the table may need. */
  private static String furtherOptions(SeparatorGuess guess) {
    if (!guess.separator().equals(";") || guess.thousandsPoints()) {
      return "";
    }
    return guess.decimalCommas()
        ? " (with \"thousands\": \".\" too if it has numbers like 1.234,5)"
        : " (with \"decimal\": \",\" too if it has decimal commas)";
  }
}
