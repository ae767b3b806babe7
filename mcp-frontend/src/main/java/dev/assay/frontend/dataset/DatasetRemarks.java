package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.Snapshot;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What each reply over a dataset says of the data under it, where that is not what it should be.
 */
public final class DatasetRemarks {
  private static final String OLDER_RULES =
      " was read by older rules: load it again with replace to have its values as in the source.";

  private DatasetRemarks() {}

  /** Of datasets that are read, a line each; empty for most. */
  public static List<String> of(Collection<Dataset> read) {
    return read.stream()
        .flatMap(dataset -> Stream.concat(earlier(dataset).stream(), olderRules(dataset).stream()))
        .toList();
  }

  /** That a dataset which could not be replaced still has its earlier rows. */
  private static Optional<String> earlier(Dataset dataset) {
    return DatasetState.of(dataset) instanceof DatasetState.Failed
        ? DatasetState.usable(dataset)
            .map(
                snapshot ->
                    "Dataset '"
                        + DatasetText.nameOf(dataset)
                        + "' could not be replaced: "
                        + inUse(snapshot))
        : Optional.empty();
  }

  /** The same as part of the message that it could not be replaced. */
  public static Optional<String> earlierRows(Dataset dataset) {
    return DatasetState.usable(dataset).map(DatasetRemarks::inUse).map(DatasetRemarks::capital);
  }

  private static String inUse(Snapshot snapshot) {
    return "its earlier data (" + DatasetText.shape(snapshot) + ") stays in use.";
  }

  private static String capital(String sentence) {
    return Character.toUpperCase(sentence.charAt(0)) + sentence.substring(1);
  }

  /** That its source would be read by other rules now. */
  public static Optional<String> olderRules(Dataset dataset) {
    return DatasetState.usable(dataset)
        .filter(Snapshot::wasReadByOlderRules)
        .map(snapshot -> "Dataset '" + DatasetText.nameOf(dataset) + "'" + OLDER_RULES);
  }
}
