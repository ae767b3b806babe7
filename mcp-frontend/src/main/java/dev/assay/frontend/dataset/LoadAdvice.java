package dev.assay.frontend.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFileType;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.run.Text;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What to do about a dataset that was not loaded, or not as its owner meant it. */
public final class LoadAdvice {
  private static final int MAX_VALUE = 1024;
  private static final int MAX_COLUMN = 60;
  private static final ObjectMapper JSON = new ObjectMapper();

  private LoadAdvice() {}

  /** Where a dataset that failed comes from, and the call that loads it again. */
  public static String again(Dataset dataset) {
    DatasetSource source = dataset.getSpec().source();
    VolumeSource volume = source.volume();
    StringBuilder call =
        new StringBuilder("load_dataset(dataset_name=").append(quoted(DatasetText.nameOf(dataset)));
    String from;
    if (volume != null) {
      from = "volume " + volume.name() + ", path " + Text.oneLine(volume.path(), MAX_VALUE);
      call.append(", volume=")
          .append(quoted(volume.name()))
          .append(", path=")
          .append(quoted(volume.path()));
      Optional<DatasetFormat> ending =
          DatasetFileType.of(volume.path()).map(DatasetFileType::format);
      appendFormat(call, source, ending);
    } else {
      from = source.upload() == null ? "the data of the call" : "an upload";
      call.append(source.format() == DatasetFormat.JSON ? ", records=[...]" : ", text=\"...\"");
      appendFormat(
          call,
          source,
          Optional.of(
              source.format() == DatasetFormat.JSON ? DatasetFormat.JSON : DatasetFormat.CSV));
    }
    Map<String, JsonNode> options = source.options();
    if (options != null) {
      String json = JSON.valueToTree(options).toString();
      call.append(", options=").append(json.length() <= MAX_VALUE ? json : "{...}");
    }
    return "Source: " + from + ". Load it again: " + call + ", replace=true)";
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
   * The hint that a table may have been read with the wrong separator: its only column has a name
   * with another one in it.
   */
  public static Optional<String> separator(Snapshot snapshot) {
    List<SnapshotColumn> columns = snapshot.columns();
    if (snapshot.columnCount() != 1 || columns == null || columns.isEmpty()) {
      return Optional.empty();
    }
    String name = columns.getFirst().name();
    return List.of(";", "\t", "|").stream()
        .filter(name::contains)
        .findFirst()
        .map(
            separator ->
                "Note: the table has one column, named '"
                    + Text.oneLine(name, MAX_COLUMN)
                    + "'. If its columns are separated by "
                    + (separator.equals("\t") ? "tabs" : "'" + separator + "'")
                    + ", load it again with options={\"sep\": "
                    + TextNode.valueOf(separator)
                    + "}"
                    + (separator.equals(";") ? " (and \"decimal\": \",\" for decimal commas)" : "")
                    + " and replace=true");
  }
}
